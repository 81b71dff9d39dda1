"""The report page, in a real browser and as a file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
from study_results import write_results

from report import page
from report.runs import TAIL_LENGTH, TAIL_LINES, tail
from report.write import write_tables

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    return write_results(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def report(results) -> Path:
    """The page."""
    before = Path.cwd()
    os.chdir(results)
    try:
        text = page.page([Path("results/trial")], Path("results/claims/claims.csv"), "snakemake --force --")
    finally:
        os.chdir(before)
    (results / "report.html").write_text(text)
    return results / "report.html"


@pytest.fixture(scope="module")
def browser():
    """A browser without a window; skips where there is none."""
    api = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser found (any of {', '.join(BROWSERS)}); install one, such as Debian's chromium")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, report):
    """The page in a tab, with what it asked for and what went wrong in it."""
    tab = browser.new_page()
    tab.set_default_timeout(30_000)
    tab.asked, tab.faults = [], []
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.on("console", lambda message: tab.faults.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: tab.faults.append(str(error)))
    tab.goto(report.as_uri())
    tab.wait_for_selector("html[data-ready=yes]")
    yield tab
    assert tab.faults == []
    assert [url for url in tab.asked if not url.startswith(("file:", "blob:", "data:"))] == []
    tab.close()


def column(tab, place: int, table: str = "trial-scores") -> list[str]:
    return tab.locator(f"#{table} tbody tr > :nth-child({place})").all_inner_texts()


def wait_for_lines(tab, count: int) -> None:
    """Until the table of scores shows so many: it is drawn a moment after it is asked."""
    tab.wait_for_function(f"document.querySelectorAll('#trial-scores tbody tr').length === {count}")


def test_a_table_shows_every_cell_and_sorts_by_number(opened):
    assert len(column(opened, 1)) == 25, "a page of 32 cells"
    for order, falling in (("ascending", False), ("descending", True)):
        opened.locator("#trial-scores thead th").nth(4).click()
        opened.wait_for_selector(f"#trial-scores thead th[aria-sort={order}]")
        means = [float(text.split(" ")[0]) for text in column(opened, 5) if text and text != "ERR"]
        assert means == sorted(means, reverse=falling)
    assert len(means) > 20


def test_lines_are_chosen_and_searched(opened):
    chooser = opened.get_by_role("group", name="Choose lines").nth(1)
    assert chooser.locator("select").count() == 3, "log, mechanism and speed differ; the gait does not"
    chooser.get_by_label("log").select_option("second†")
    chooser.get_by_label("mechanism").select_option("walker")
    wait_for_lines(opened, 15)
    assert set(column(opened, 1)) == {"second†"}
    chooser.get_by_label("speed").select_option("3")
    wait_for_lines(opened, 1)
    assert column(opened, 3) == ["speed=3 gait=<fast>"]
    chooser.get_by_label("speed").select_option("")
    wait_for_lines(opened, 15)
    opened.get_by_label("Search:").nth(1).fill("speed=12")
    wait_for_lines(opened, 1)
    assert column(opened, 3) == ["speed=12 gait=<fast>"]
    opened.get_by_role("group", name="Choose lines").first.get_by_label("log").select_option("first")
    assert len(column(opened, 1, "claims-table")) == 2


def test_a_cell_leads_to_its_runs_by_keyboard_and_back(opened):
    opened.get_by_label("Search:").nth(1).fill("speed=3")
    wait_for_lines(opened, 2)
    button = opened.get_by_role("button", name="2 runs, 2 failed")
    button.focus()
    opened.keyboard.press("Enter")
    dialog = opened.get_by_role("dialog")
    dialog.wait_for()
    expect = pytest.importorskip("playwright.sync_api").expect
    for part in (
        "Runs of walker/speed=3,gait=<fast>/second",
        "error: exit code 1",
        str(2**62 + 1),
        "Some CPU, 2 cores, 8 GB, 0123456789ab",
        "python 3.11.7, harness 0.1.0, sha256 efefefefefef, lock_sha256 010101010101",
        "ab" * 32,
        "snakemake --force -- 'results/runs/walker/speed=3,gait=<fast>/second/1/run.json'",
        "Oops: </script><b>broken</b>",
    ):
        expect(dialog).to_contain_text(part, timeout=20_000)
    opened.wait_for_function("document.querySelector('dialog').contains(document.activeElement)")
    opened.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    opened.wait_for_function("!location.hash")
    opened.wait_for_function("document.activeElement.dataset.cell === 'walker/speed=3,gait=<fast>/second'")


def test_an_address_leads_to_runs(opened, report):
    opened.goto(f"{report.as_uri()}#run=identity%2Fdefault%2Ffirst")
    opened.reload()
    opened.get_by_role("dialog").wait_for()
    assert "Runs of identity/default/first" in opened.get_by_role("dialog").inner_text()


@pytest.mark.parametrize("width", [320, 375, 768, 1440])
def test_nothing_sticks_out_at_any_width(opened, width):
    opened.set_viewport_size({"width": width, "height": 800})
    opened.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert opened.evaluate("document.documentElement.scrollWidth") <= width


def test_all_lines_are_printed(opened):
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    wait_for_lines(opened, 32)
    opened.emulate_media(media="print")
    assert not opened.locator(".chooser").first.is_visible()
    assert len(opened.pdf()) > 10_000
    opened.evaluate("dispatchEvent(new Event('afterprint'))")
    wait_for_lines(opened, 25)


@pytest.mark.parametrize("runs", [False, True])
def test_the_page_is_accessible(opened, runs):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    opened.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    if runs:
        opened.locator("button[data-cell]").first.click()
        opened.get_by_role("dialog").wait_for()
    found = axe.Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()


def test_the_page_can_be_read_without_scripts(browser, report):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(report.as_uri())
    assert tab.locator("#trial-scores tbody tr").count() == 32
    context.close()


def test_the_page_is_whole(report):
    text = report.read_text()
    assert "<link" not in text
    assert 'src="http' not in text
    assert "Oops: &lt;/script&gt;&lt;b&gt;broken&lt;/b&gt;" in text, "what a failed run has printed, as text"
    assert '<h2 id="trial-title">Trial &lt;1&gt;</h2>' in text
    assert text.count("image/webp") == 2


def test_the_tail_of_long_messages(tmp_path):
    path = tmp_path / "messages.txt"
    path.write_text("\n".join(f"line {number}" for number in range(1000)))
    assert tail(path).splitlines() == [f"line {number}" for number in range(1000 - TAIL_LINES, 1000)]
    path.write_bytes(b"\xff" * 10_000)
    assert len(tail(path)) <= TAIL_LENGTH
    assert tail(tmp_path / "none") == ""


def test_a_printed_table_is_taken_apart_again(tmp_path):
    path = tmp_path / "t.md"
    wide = pd.DataFrame({"k=1|2": ["a|b", "–"]}, index=pd.Index(["one", "two"], name="row"))
    write_tables([path], wide, wide, "Title", ["Note one.", "Note two."])
    found = page.read_printed(path)
    assert (found.title, found.notes) == ("Title", ["Note one.", "Note two."])
    assert found.rows == [["one", "a|b"], ["two", "–"]]
    assert found.header == ["row", "k=1|2"]
