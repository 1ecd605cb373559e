"""Processes that compile kernels: as many as there are processors, as long as there is work."""

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress

from tracemill.base.console import report_work
from tracemill.base.once import once
from tracemill.base.processors import available_threads
from tracemill.kernels import code_cache
from tracemill.kernels.modes import COMPILING

TITLE = "compiling kernels (first use)"
_ERROR_LINES = 3
_OF_READERS = ("tracemill.kernels.otf2_", "tracemill.kernels.sorted_records")


class _Compiler:
    """A process that compiles one kernel at a time."""

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tracemill.kernels.compiling"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            env={**os.environ, COMPILING: "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip

    def compile(self, request: bytes) -> bytes | None:
        """The machine code, or None if the process had nothing to do and ended.

        Raises KeyboardInterrupt if it was interrupted; then the program soon is, too.
        """
        assert self._process.stdin
        assert self._process.stdout
        with suppress(OSError):
            self._process.stdin.write(request)
            self._process.stdin.flush()
        head = self._process.stdout.readline()
        answer = self._process.stdout.read(abs(int(head))) if head else b""
        if not head or len(answer) < abs(int(head)):
            self._end()
            return None
        if int(head) < 0:
            self._errors.close()
            raise RuntimeError(f"a kernel does not compile: {answer.decode()}")
        return answer

    def end(self) -> None:
        """End it while it has nothing to do."""
        with self._errors:
            self._process.communicate()

    def _end(self) -> None:
        """Say why the process ended, unless it had nothing to do."""
        with suppress(OSError):
            self._process.communicate()
        code = self._process.returncode
        with self._errors as file:
            file.seek(0)
            said = file.read().decode(errors="replace").splitlines()[-_ERROR_LINES:]
        if code == -signal.SIGINT:
            raise KeyboardInterrupt
        if code != -signal.SIGALRM:
            raise RuntimeError("\n".join([f"compiling ended with {code}", *said]))


class _Compilers:
    def __init__(self) -> None:
        self._idle: list[_Compiler] = []
        self._is_interrupted = False
        self._free = threading.Semaphore(available_threads())

    def compile(self, request: bytes) -> bytes:
        """Have an idle or new process compile; nothing more once one was interrupted."""
        with self._free:
            while not self._is_interrupted:
                try:
                    compiler = self._idle.pop()
                except IndexError:
                    compiler = _Compiler()
                try:
                    code = compiler.compile(request)
                except KeyboardInterrupt:
                    self._is_interrupted = True
                    raise
                if code is not None:
                    self._idle.append(compiler)
                    return code
        raise KeyboardInterrupt

    def end(self) -> None:
        """End those that have nothing to do."""
        while self._idle:
            self._idle.pop().end()


@once
def _compilers(process: int) -> _Compilers:
    """Those of a process; a fork has none of its parent's."""
    return _Compilers()


def end_compilers() -> None:
    """End the idle compilers of this process now, not when no request has come for a while."""
    _compilers(os.getpid()).end()


def _begin_related(module: str) -> None:
    """Begin to compile what an analysis needs with a kernel that it needs."""
    if module.startswith("tracemill.kernels.") and module.count(".") == 2:
        # It imports all kernels, and they this module.
        warm_up = importlib.import_module("tracemill.kernels.warm_up")
        warm_up.begin_analysis(os.getpid())
        if module.startswith(_OF_READERS):
            warm_up.begin_reading(os.getpid())


def compile_kernel(name: str, module: str, kernel: str, signature: str) -> bytes:
    """Compile a kernel, unless another process has just done so; keep its machine code."""
    with report_work(TITLE), code_cache.only_here(name):
        _begin_related(module)
        code = code_cache.load(name)
        if code is None:
            request = json.dumps([name, module, kernel, signature]).encode() + b"\n"
            code = _compilers(os.getpid()).compile(request)
            code_cache.save(name, code)
    return code
