"""An import opens the file it is given and nothing that the file names, and starts nothing."""

from __future__ import annotations

import gzip
import io
import json
import socket
import subprocess
import sys
import zipfile

import pytest

from conftest import ROOT

# A process that tells what Python opens, connects to or starts while it imports each of some files.
WATCHED = """
import json, sys
from data.importing import import_log
from data.io import LogError
from data.options import ImportOptions
import pyarrow.csv, pyarrow.parquet

import_log(sys.argv[1])  # whatever is loaded on first use
import_log(sys.argv[2])
seen, watching, found = [], False, {}
KINDS = ("open", "socket.", "subprocess.", "os.", "urllib.", "exec", "compile", "import", "ctypes.", "pickle.")


def watch(event, arguments):
    if watching and event.startswith(KINDS):
        seen.append((event, str(arguments)))


sys.addaudithook(watch)
for path in sys.argv[3:]:
    watching = True
    try:
        outcome = import_log(path, ImportOptions(attributes=True))[0].n_events
    except LogError as error:
        outcome = str(error)
    watching = False
    found[path] = outcome, seen
    seen = []
print(json.dumps(found))
"""
NAME = '<string key="concept:name" value="a"/>'
TRACE = f'<trace>{NAME}<event>{NAME}<date key="time:timestamp" value="2020-01-01T00:00:00Z"/>{{}}</event></trace>'
PLAIN = f"<log>{TRACE.format('')}</log>"
TABLE = "case:concept:name,concept:name,time:timestamp,more\n{}1,a,2020-01-01T00:00:00Z,{}\n"
# What is named, as {file} and {http}, and whether such a file is read or refused.
NAMING = {
    "entity.xes": ('<!DOCTYPE log [<!ENTITY x SYSTEM "{file}">]><log>&x;</log>', "document type"),
    "remote_entity.xes": ('<!DOCTYPE log [<!ENTITY x SYSTEM "{http}">]><log>&x;</log>', "document type"),
    "parameter.xes": ('<!DOCTYPE log [<!ENTITY % x SYSTEM "{http}"> %x;]><log/>', "document type"),
    "system.xes": ('<!DOCTYPE log SYSTEM "{http}"><log/>', "document type"),
    "public.xes": ('<!DOCTYPE log PUBLIC "-//X//Y" "{file}"><log/>', "document type"),
    "include.xes": (
        '<log xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{file}" parse="text"/>'
        f"{TRACE.format('')}</log>",
        1,
    ),
    "schema.xes": (
        '<log xmlns="{http}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{http} {http}" '
        f'xsi:noNamespaceSchemaLocation="{{file}}">{TRACE.format("")}</log>',
        1,
    ),
    "extension.xes": (
        f'<log><extension name="Concept" prefix="concept" uri="{{http}}"/>{TRACE.format("")}</log>',
        1,
    ),
    "stylesheet.xes": (f'<?xml-stylesheet href="{{http}}" type="text/xsl"?>{PLAIN}', 1),
    "value.xes": ("<log>" + TRACE.format('<string key="link" value="{file}"/>') + "</log>", 1),
    "formula.csv": (TABLE.format("", '"=WEBSERVICE(""{http}"")"'), 1),
    "path.csv": (TABLE.format("", "{file}"), 1),
    "plain.xes": (PLAIN, 1),
}


def zipped(content: bytes, name: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"../../{name}", content)
    return packed.getvalue()


PACKINGS = {
    "plain": ("", lambda content, _: content),
    "gzip": (".gz", lambda content, _: gzip.compress(content)),
    "zip": (".zip", zipped),
}


@pytest.fixture
def listener():
    """A server that nobody should turn to."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.mark.parametrize("packing", PACKINGS)
def test_nothing_but_the_file_is_opened(tmp_path, listener, packing):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (tmp_path / "warm.xes").write_text(PLAIN)
    (tmp_path / "warm.zip").write_bytes(zipped(TABLE.format("", "x").encode(), "warm.csv"))
    http = f"http://127.0.0.1:{listener.getsockname()[1]}/x"
    suffix, pack = PACKINGS[packing]
    expected = {}
    for name, (text, outcome) in NAMING.items():
        path = tmp_path / (name + suffix)
        path.write_bytes(pack(text.replace("{file}", secret.as_uri()).replace("{http}", http).encode(), name))
        expected[str(path)] = outcome
    command = [sys.executable, "-c", WATCHED, tmp_path / "warm.xes", tmp_path / "warm.zip", *expected]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for path, (outcome, seen) in json.loads(done.stdout).items():
        assert outcome == expected[path] if isinstance(outcome, int) else expected[path] in outcome
        assert seen
        for event, arguments in seen:
            assert event == "open", (path, event, arguments)
            assert path in arguments, (path, arguments)
    with pytest.raises(BlockingIOError):
        listener.accept()
