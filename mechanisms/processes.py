"""One command and everything it starts: run, limited, measured from the kernel, and ended as a whole.

Linux only. Three processes take part, so that no single death, `kill -9` included, leaves anything behind:

    guard  ->  keeper  ->  command  ->  its own children, in whatever session they put themselves

The guard passes a request to stop on to the keeper. The keeper is the subreaper of the command: descendants
that lose their parent become its children, so it finds them all in /proc and knows when none is left. The
kernel tells a process when its parent has died (`PR_SET_PDEATHSIG`): a keeper without a guard ends the tree,
and a guard without a keeper inherits the tree and ends it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import threading
import time
from collections import namedtuple
from collections.abc import Callable

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
PAGE = os.sysconf("SC_PAGE_SIZE")
TAIL = 8192  # bytes of stderr that are kept
POLL_S = (0.05, 1.0)  # shortest and longest pause between two looks at the memory
POLL_SHARE = 0.01  # of a core that looking may cost in between

Ended = namedtuple("Ended", "exit_code stopped oom_killed wall_s cpu_s peak_bytes leftovers stderr")
Ended.__doc__ = """How a command ended.

exit_code : int, negative for a signal; stopped : None, "timeout" or "memory", the limit that ended it;
oom_killed : bool, the kernel ran out of memory meanwhile; wall_s : float, until the command ended or was stopped;
cpu_s : float, user and system time of all descendants; peak_bytes : int, largest resident memory of the tree;
leftovers : int, processes alive when the command had ended; stderr : str, its last characters.
"""


def guarded(work: Callable[[], None], undo: Callable[[], None], grace_s: float) -> int:
    """Do `work` in a keeper process; if it fails, is interrupted or killed, end its descendants and `undo`.

    Returns
    -------
    int
        0 if the work was done, else 1.
    """
    # A signal that the caller ignores (nohup, a background job) stays ignored.
    stops = {signal.SIGTERM} | {s for s in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(s) != signal.SIG_IGN}
    # Blocked signals are waited for where it suits, so none strikes between two steps.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a caller that ignores it would have the kernel swallow statuses
    signal.pthread_sigmask(signal.SIG_BLOCK, stops | {signal.SIGCHLD})
    guard, caller = os.getpid(), os.getppid()
    _adopt_orphans()
    _on_death_of(caller, signal.SIGTERM)
    keeper = os.fork()
    if keeper == 0:
        os.setsid()
        _adopt_orphans()
        _on_death_of(guard, signal.SIGTERM)
        os._exit(_attempt(work, undo, grace_s))
    statuses = {}
    while keeper not in statuses:
        if signal.sigwait(stops | {signal.SIGCHLD}) == signal.SIGCHLD:
            _reap(statuses)
        else:
            os.kill(keeper, signal.SIGTERM)
    if statuses[keeper] == 0:
        return 0
    end_descendants(0)
    undo()
    return 1


def _attempt(work: Callable[[], None], undo: Callable[[], None], grace_s: float) -> int:
    try:
        work()
        return 0
    except SystemExit as error:
        print(error, file=sys.stderr, flush=True)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    end_descendants(grace_s)
    undo()
    return 1


def stop_if_interrupted() -> None:
    """Raise SystemExit if a request to stop has come."""
    if signal.SIGTERM in signal.sigpending():
        raise SystemExit("measure: interrupted, nothing is recorded")


def run(
    command: list[str],
    environment: dict[str, str],
    cores: list[int],
    limit_s: float,
    limit_bytes: float,
    grace_s: float,
) -> Ended:
    """Run a command to its end or to a limit, then end all that is left of it.

    Its stdout is that of the caller; its stderr is copied to that of the caller.

    Parameters
    ----------
    cores : list of int
        Cores to stay on; empty for any.
    limit_s, limit_bytes : float
        Limits of wall time and of resident memory of the whole tree; may be infinite.
    grace_s : float
        Seconds between SIGTERM and SIGKILL. Beyond the memory limit there is no grace.
    """
    kills = _oom_kills()
    source, sink = os.pipe()
    started = time.monotonic()
    child = _start(command, environment, cores, sink)
    os.close(sink)
    tail = bytearray()
    copier = threading.Thread(target=_copy, args=(source, tail), daemon=True)
    copier.start()
    statuses = {}
    stopped, peak = _watch(child, statuses, started + limit_s, limit_bytes)
    wall_s = time.monotonic() - started
    leftovers = 0 if stopped else len(descendants())
    statuses |= end_descendants(0 if stopped == "memory" else grace_s)
    copier.join(timeout=1)  # all writers are dead; the limit is for a reader of our stderr who does not read
    used = resource.getrusage(resource.RUSAGE_CHILDREN)  # what wait4 has said of every process waited for
    return Ended(
        exit_code=os.waitstatus_to_exitcode(statuses[child]),
        stopped=stopped,
        oom_killed=_oom_kills() > kills,
        wall_s=wall_s,
        cpu_s=used.ru_utime + used.ru_stime,
        peak_bytes=max(peak, used.ru_maxrss * 1024),
        leftovers=leftovers,
        stderr=tail.decode(errors="replace"),
    )


def descendants() -> list[int]:
    """Process ids of all descendants of this process, from /proc."""
    found, parents = [], [os.getpid()]
    while parents:
        parent = parents.pop()
        with contextlib.suppress(OSError):  # ended meanwhile
            for thread in os.listdir(f"/proc/{parent}/task"):
                children = [int(pid) for pid in _read(f"/proc/{parent}/task/{thread}/children").split()]
                found += children
                parents += children
    return found


def end_descendants(grace_s: float) -> dict[int, int]:
    """End all descendants: SIGTERM, after the grace SIGKILL, until the kernel knows of none.

    Returns
    -------
    dict
        Wait status by process id of those that were children at their end.
    """
    statuses = {}
    deadline = time.monotonic() + grace_s
    if grace_s > 0:
        _signal_descendants(signal.SIGTERM)
    while _reap(statuses):
        if time.monotonic() >= deadline:
            _signal_descendants(signal.SIGKILL)
        signal.sigtimedwait({signal.SIGCHLD}, 0.02)
    return statuses


def _start(command: list[str], environment: dict[str, str], cores: list[int], stderr: int) -> int:
    """Fork and execute the command in a session of its own; where it cannot start, exit with 127 as a shell does."""
    keeper = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        _on_death_of(keeper, signal.SIGKILL)
        if cores:
            os.sched_setaffinity(0, cores)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(stderr, 2)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.execvpe(command[0], command, environment)
    except (OSError, ValueError) as error:
        os.write(2, f"cannot start {command[0]}: {error}\n".encode())
    finally:
        os._exit(127)


def _watch(child: int, statuses: dict[int, int], deadline: float, limit_bytes: float) -> tuple[str | None, int]:
    """Wait until the child has ended or a limit is reached; that limit, and the peak memory seen."""
    peak, pause = 0, POLL_S[0]
    while True:
        signal.sigtimedwait({signal.SIGCHLD}, max(0, min(pause, deadline - time.monotonic())))
        stop_if_interrupted()
        _reap(statuses)
        if child in statuses:
            return None, peak
        if time.monotonic() >= deadline:
            return "timeout", peak
        before = time.thread_time()
        peak = max(peak, _memory(descendants(), peak))
        if peak > limit_bytes:
            return "memory", peak
        pause = min(max((time.thread_time() - before) / POLL_SHARE, POLL_S[0]), POLL_S[1])


def _memory(pids: list[int], known: int) -> int:
    """Resident bytes of some processes, pages that several of them share counted once.

    Counting once makes the kernel walk the page tables, so it is done only where the plain sum exceeds `known`.
    """
    plain = sum(_resident(pid) for pid in pids)
    return plain if len(pids) == 1 or plain <= known else sum(_proportional(pid) for pid in pids)


def _resident(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    return int(fields[1]) * PAGE if fields else 0


def _proportional(pid: int) -> int:
    _, found, rest = _read(f"/proc/{pid}/smaps_rollup").partition(b"\nPss:")
    return int(rest.split()[0]) * 1024 if found else _resident(pid)


def _oom_kills() -> int:
    """Processes that the kernel has killed for lack of memory since it started."""
    _, _, rest = _read("/proc/vmstat").partition(b"\noom_kill ")
    return int((rest.split() or [0])[0])


def _read(path: str) -> bytes:
    """A file of /proc; empty if its process has ended."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _copy(source: int, tail: bytearray) -> None:
    while chunk := os.read(source, 65536):
        tail += chunk
        del tail[:-TAIL]
        with contextlib.suppress(OSError):  # nobody reads our stderr: the command goes on
            os.write(2, chunk)


def _reap(statuses: dict[int, int]) -> bool:
    """Add the wait statuses of the children that have ended; whether others are alive."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            statuses[pid] = status
    return False


def _signal_descendants(signum: int) -> None:
    for pid in descendants():
        with contextlib.suppress(OSError):  # ended meanwhile
            os.kill(pid, signum)


def _adopt_orphans() -> None:
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def _on_death_of(parent: int, signum: int) -> None:
    """Be sent a signal when the parent dies."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signum)
    if os.getppid() != parent:  # it died before the call
        os._exit(1)
