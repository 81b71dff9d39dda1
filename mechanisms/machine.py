"""The machine of a run: what it is, and cores that a run has to itself."""

from __future__ import annotations

import fcntl
import hashlib
import os


def lease(count: int) -> list[int]:
    """Cores that no other run of this user holds, or none if fewer than `count` are free.

    A core is a locked file, which the kernel unlocks when this process ends, however it ends.
    """
    folder = f"{os.environ.get('TMPDIR', '/tmp')}/measure-cores-{os.getuid()}"
    locks = {}
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for core in sorted(os.sched_getaffinity(0)):
            lock = os.open(f"{folder}/{core}", os.O_CREAT | os.O_RDWR, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                locks[core] = lock
            except BlockingIOError:
                os.close(lock)
            if len(locks) == count:
                return list(locks)
    except OSError:  # no place for locks: run on any core, and the record says so
        pass
    for lock in locks.values():
        os.close(lock)
    return []


def host() -> dict:
    """Model of the CPU, number of cores, memory in MB of 10^6 bytes, and an id of the machine that is not its name."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = (line.partition(":")[2].strip() for line in file if line.startswith("model name"))
        cpu = next(models, os.uname().machine)
    try:
        with open("/etc/machine-id", encoding="utf-8") as file:
            machine = file.read()
    except OSError:
        machine = ""
    cores = os.cpu_count()
    memory_mb = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 10**6
    digest = hashlib.sha256(f"{machine} {cpu} {cores} {memory_mb}".encode()).hexdigest()
    return {"cpu": cpu, "cores": cores, "memory_mb": memory_mb, "id": digest[:12]}
