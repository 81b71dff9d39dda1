"""The checked configuration, and the environment of every job."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

# Jobs run with the Python of Snakemake itself and import the project from its root, wherever the results go.
os.environ.update(
    PATH=os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")]),
    PYTHONPATH=workflow.basedir,
)
sys.path.insert(0, workflow.basedir)

from config.check import ConfigError, checked
from data.held_out import MEMBERS

try:
    config = checked(config)
except ConfigError as error:
    raise WorkflowError(str(error)) from None

# Claims may add to them.
WANTED_LOGS = [log for wanted in config["experiments"].values() for log in wanted["logs"]]


def project_path(*parts):
    """A file of the project as seen from the working directory, so that results do not know where it lies."""
    return os.path.relpath(os.path.join(workflow.basedir, *parts))


def code_files(*parts):
    """What decides the results of the code in a folder: all but rules, documents and by-products."""
    return sorted(
        os.path.relpath(path)
        for path in Path(workflow.basedir, *parts).rglob("*")
        if path.is_file() and path.suffix not in (".smk", ".pyc", ".md") and not path.name.startswith(".")
    )


WHOLE = r"[\w.-]+"  # the name of a log of which no case is held out


wildcard_constraints:
    experiment=r"[\w-]+",
    log=f"{WHOLE}({MEMBERS})?",
    mechanism=r"\w+",
    parameters=r"[^/]+",
    repeat=r"\d+",
    track="runs|timing",
