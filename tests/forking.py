"""Processes of tests that are to be killed, interrupted or at work beside others.

They are forked like the workers of the product, from a process that has loaded it: starting Python
and importing everything takes longer than most of what they do.
"""

import os
import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.process import BaseProcess

from pipeline.workers import PRELOADED


def start_process(function: Callable[..., object], *given: object) -> BaseProcess:
    """A process that calls a function of a module; Ctrl-C ends it by its signal, as Python does."""
    context = get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    process = context.Process(target=_call, args=(function, given), daemon=True)
    process.start()
    return process


def _call(function: Callable[..., object], given: tuple[object, ...]) -> None:
    # Where the product has started the process that is forked, it is blocked.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        function(*given)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
