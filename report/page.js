// What the page does: sort, search and choose the lines of tables; show the runs behind a cell.

const bytes = Uint8Array.from(atob(document.getElementById("library").textContent), (c) => c.charCodeAt(0));
const address = URL.createObjectURL(new Blob([bytes], { type: "text/javascript" }));
const { default: DataTable } = await import(address);
URL.revokeObjectURL(address);

const tables = new Map();
for (const element of document.querySelectorAll("table.lively")) {
  const table = new DataTable(element, {
    order: [],
    pageLength: 25,
    lengthMenu: [25, 100, { label: "All", value: -1 }],
    autoWidth: false,
    language: { search: "Search:", lengthMenu: "_MENU_ lines" },
  });
  const pages = table.table().container().querySelector("nav");
  pages?.setAttribute("aria-label", `Pages of ${element.id}`);
  tables.set(element.id, table);
}

for (const chooser of document.querySelectorAll(".chooser")) {
  const table = tables.get(chooser.dataset.table);
  const lists = [...chooser.querySelectorAll("select")];
  chooser.addEventListener("change", () => {
    const wanted = lists.filter((list) => list.value).map((list) => [list.dataset.name, list.value]);
    table.search.fixed("chosen", (text, data, index) => {
      const filters = JSON.parse(table.row(index).node().dataset.filters);
      return wanted.every(([name, value]) => filters[name] === value);
    }).draw();
  });
}

// All lines are printed, also of tables that show some on the screen.
const lengths = new Map();
addEventListener("beforeprint", () => tables.forEach((table) => {
  if (!lengths.has(table)) lengths.set(table, table.page.len());
  table.page.len(-1).draw();
}));
addEventListener("afterprint", () => {
  lengths.forEach((length, table) => table.page.len(length).draw());
  lengths.clear();
});

const data = JSON.parse(document.getElementById("run-data").textContent);
const dialog = document.getElementById("runs");
const FACTS = ["Repeat", "Status", "Seed", "CPU s", "Wall s", "Peak MB", "Core of its own", "Started", "Machine",
  "Versions", "Checksum of the log", "Checksum of the release", "Make it again", "Program"];

function add(parent, name, text) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function number(value, digits) {
  return value === null ? "–" : value.toFixed(digits);
}

function show(cell) {
  const runs = data.cells[cell];
  if (!runs) return;
  document.getElementById("runs-title").textContent = `Runs of ${cell}`;
  const body = document.getElementById("runs-body");
  body.replaceChildren();
  const region = add(body, "div");
  region.className = "wide";
  region.tabIndex = 0;
  region.setAttribute("role", "region");
  region.setAttribute("aria-label", "Runs");
  const table = add(region, "table");
  table.className = "plain";
  const head = add(add(table, "thead"), "tr");
  for (const fact of FACTS) add(head, "th", fact).scope = "col";
  const lines = add(table, "tbody");
  for (const run of runs) {
    const host = data.hosts[run.host];
    const line = add(lines, "tr");
    for (const text of [
      run.repeat, run.reason ? `${run.status}: ${run.reason}` : run.status, run.seed, number(run.cpu_s, 3),
      number(run.wall_s, 3), number(run.peak_rss_mb, 0), run.own_core ? "yes" : "no", run.started,
      `${host.cpu}, ${host.cores} cores, ${Math.round(host.memory_mb / 1000)} GB, ${host.id}`,
      data.versions[run.versions], run.input_sha256 ?? "–", run.release_sha256 ?? "–",
    ]) add(line, "td", text);
    add(add(line, "td"), "code", run.command);
    add(add(line, "td"), "code", run.program);
  }
  for (const run of runs.filter((other) => other.printed)) {
    add(body, "h3", `Repeat ${run.repeat} printed`);
    add(body, "pre", run.printed).tabIndex = 0;
  }
  if (!dialog.open) dialog.showModal();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-cell]");
  if (button) location.hash = `run=${encodeURIComponent(button.dataset.cell)}`;
});
dialog.querySelector(".close").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", () => {
  if (location.hash.startsWith("#run=")) history.replaceState(null, "", location.pathname + location.search);
});

function follow() {
  if (location.hash.startsWith("#run=")) show(decodeURIComponent(location.hash.slice(5)));
}
addEventListener("hashchange", follow);
follow();
document.documentElement.dataset.ready = "yes";
