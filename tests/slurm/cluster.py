"""A SLURM cluster of one node on this machine, for the tests: munged, slurmctld and slurmd.

    apt-get install --no-install-recommends slurm-wlm munge
    python tests/slurm/cluster.py up      # until `sinfo` says idle
    python tests/slurm/cluster.py down    # no process and no file is left

It needs root, as munge and slurmd do, but no systemd and no accounting. Everything lies in one folder; as the programs
of a job look for their configuration in /etc/slurm alone, a link stands there.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path("/run/slurm-test")
LINK = Path("/etc/slurm/slurm.conf")
PROGRAMS = ("munged", "slurmctld", "slurmd")
LIMIT_S = 30
# Two cores pose as eight. Memory is watched by sampling, which needs no control groups; a job may be listed for an hour
# after its end, as without accounting nothing else tells what became of it.
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
KillWait=5
MinJobAge=3600
EnforcePartLimits=ALL
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 CoresPerSocket=8 RealMemory=64000 State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=2-0 DefMemPerCPU=500 State=UP
"""


def missing() -> str:
    """Why there can be no cluster on this machine; empty if there can."""
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if os.geteuid() != 0:
        return "a SLURM cluster of one's own needs root"
    if absent:
        return f"no {', '.join(absent)}: apt-get install --no-install-recommends slurm-wlm munge (Debian, Ubuntu)"
    if os.path.lexists(LINK) and not LINK.is_symlink():
        return f"{LINK} belongs to another cluster"
    return ""


def up() -> None:
    """Start the cluster and wait until its node is idle."""
    down()
    for name in ("", "state", "spool"):
        (FOLDER / name).mkdir(mode=0o755)
    (FOLDER / "munge.key").write_bytes(os.urandom(128))
    (FOLDER / "munge.key").chmod(0o400)
    host = socket.gethostname().partition(".")[0]
    (FOLDER / "slurm.conf").write_text(CONFIGURATION.format(host=host, folder=FOLDER))
    LINK.parent.mkdir(exist_ok=True)
    LINK.symlink_to(FOLDER / "slurm.conf")
    for name in PROGRAMS:
        start(name)
    wait_for(lambda: node_state() == "idle", "no idle node; see slurmd.log and slurmctld.log")


def down() -> None:
    """End all jobs and daemons and remove every file."""
    if pid_of("slurmctld"):
        subprocess.run(["scancel", "--user", "root"], check=False)
    for name in reversed(PROGRAMS):
        stop(name)
    shutil.rmtree(FOLDER, ignore_errors=True)
    if LINK.is_symlink():
        LINK.unlink()


def start(name: str) -> None:
    """Start a daemon; it goes into the background."""
    places = {"key": "key", "socket": "socket", "pid": "pid", "log": "log", "seed": "seed"}
    options = [f"--{key}-file={FOLDER}/munge.{end}" for key, end in places.items() if key not in ("socket", "pid")]
    options += [f"--socket={FOLDER}/munge.socket", f"--pid-file={FOLDER}/munged.pid"]
    subprocess.run([name, *(options if name == "munged" else [])], check=True, cwd="/", stdin=subprocess.DEVNULL)


def stop(name: str) -> None:
    """Stop a daemon if it runs and wait for its end."""
    pid = pid_of(name)
    if pid:
        os.kill(pid, signal.SIGTERM)
        wait_for(lambda: not os.path.exists(f"/proc/{pid}"), f"{name} does not end")


def pid_of(name: str) -> int | None:
    """The process of a daemon of ours, if it runs."""
    try:
        pid = int((FOLDER / f"{name}.pid").read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    return pid if name.encode() in command else None


def node_state() -> str:
    """What SLURM says of its node: idle, mixed, drained, ..."""
    done = subprocess.run(["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def wait_for(condition, message: str, seconds: float = LIMIT_S) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(message)
        time.sleep(0.1)


if __name__ == "__main__":
    if reason := missing():
        sys.exit(reason)
    {"up": up, "down": down}[sys.argv[1]]()
