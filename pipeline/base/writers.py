"""Identity of a writing process, so that others can check whether it is alive."""

import os
import socket
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Writer:
    """A process; `started` distinguishes it from a later one of the same number."""

    host: str
    process: int
    started: str

    @classmethod
    def here(cls) -> "Writer":
        """This process."""
        return cls(_host(), os.getpid(), _started(os.getpid()))

    @property
    def is_of_this_host(self) -> bool:
        return self.host == _host()

    @property
    def is_running(self) -> bool:
        """True if it runs on this host; of another host's processes nothing is known here."""
        return self.is_of_this_host and _started(self.process) == self.started != ""

    @property
    def has_ended(self) -> bool:
        """True if it ran on this host and does not any more."""
        return self.is_of_this_host and not self.is_running


@cache
def _host() -> str:
    """This host; containers, which number processes for themselves, count as hosts."""
    try:
        namespace = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        namespace = ""
    host = socket.gethostname().replace("~", "-").replace("/", "-")
    return f"{host}+{namespace}"


def _started(pid: int) -> str:
    """Start of a process of this host, as the kernel counts; empty if there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
    except (OSError, IndexError):
        return "" if os.path.exists("/proc/self/stat") else _alive_without_proc(pid)


def _alive_without_proc(pid: int) -> str:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        return "alive"
    return "alive"
