"""A process that answers one question after the other, each under limits of time and memory.

What takes too much of either loses its own answer alone: the process is ended, and another one answers the next
question. Linux only, as all that limits memory by watching it (`mechanisms.measure`).
"""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

POLL_S = 0.02
PAGE = os.sysconf("SC_PAGE_SIZE")
PR_SET_PDEATHSIG = 1  # linux/prctl.h

logger = logging.getLogger(__name__)
fork = multiprocessing.get_context("fork")


class Worker:
    """A process that is forked at the first question, so it has all that this one has read, and keeps its caches.

    Parameters
    ----------
    answer : callable (question) -> answer
        Questions and answers must be picklable.
    limit_s : float
        Seconds of wall time for an answer; may be infinite.
    limit_mb : float
        Resident memory of the process in MB of 10**6 bytes, with what it shares with this one; may be infinite.
    """

    def __init__(self, answer: Callable[[Any], Any], limit_s: float, limit_mb: float) -> None:
        self._answer, self._limit_s, self._limit_mb = answer, limit_s, limit_mb
        self._process: multiprocessing.Process | None = None
        self._connection: Connection | None = None

    def ask(self, question: Any) -> Any:
        """The answer to a question.

        A process that has answered others may keep what fills its memory, so beyond the limit a fresh one is asked.

        Raises
        ------
        TimeoutError, MemoryError
            If it takes too much of either.
        ChildProcessError
            If it fails for another reason.
        """
        fresh = self._process is None
        try:
            return self._asked(question)
        except MemoryError:
            if fresh:
                raise
        self.close()
        return self._asked(question)

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = None

    def _asked(self, question: Any) -> Any:
        if self._process is None:
            self._start()
        deadline = time.monotonic() + self._limit_s
        try:
            self._connection.send(question)
            while not self._connection.poll(POLL_S):
                self._check(deadline)
            answer, failure = self._connection.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            code = self._process.exitcode
            self.close()
            if code == -signal.SIGKILL:
                raise MemoryError("killed from outside, as the kernel does for lack of memory") from None
            raise ChildProcessError(f"the process ended with exit code {code}") from None
        if failure is not None:
            raise failure
        return answer

    def _check(self, deadline: float) -> None:
        """End the process beyond a limit."""
        held_mb = resident_mb(self._process.pid)
        if held_mb > self._limit_mb:
            self.close()
            raise MemoryError(f"stopped at {held_mb:.0f} MB, beyond the limit of {self._limit_mb:g} MB")
        if time.monotonic() >= deadline:
            self.close()
            raise TimeoutError(f"stopped at the limit of {self._limit_s:g} s")

    def _start(self) -> None:
        self._connection, theirs = fork.Pipe()
        arguments = self._connection, theirs, self._answer, os.getpid()
        self._process = fork.Process(target=_serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()


def resident_mb(pid: int | str) -> float:
    """Resident memory of a process, or of this one ("self"), in MB of 10**6 bytes, with what it shares with others."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * PAGE / 1e6


def _serve(ours: Connection, theirs: Connection, answer: Callable[[Any], Any], parent: int) -> None:
    """Answer until there is nobody left to ask."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the call
        return
    ours.close()
    while True:
        try:
            question = theirs.recv()
        except EOFError:
            return
        theirs.send(_attempt(answer, question))


def _attempt(answer: Callable[[Any], Any], question: Any) -> tuple[Any, Exception | None]:
    """The answer, or what is to be raised in its place."""
    try:
        return answer(question), None
    except MemoryError as error:
        return None, MemoryError(str(error))
    except Exception as error:
        logger.exception("%s failed", question)
        return None, ChildProcessError(f"{type(error).__name__}: {error}")
