"""Stages in lanes: threads of which each runs a stage as soon as the tables it needs are made."""

import threading
from collections.abc import Callable, Iterable, Sequence

from tracemill.engine.graph import Stage, with_needed
from tracemill.stages.stage import PythonStage


def begin_with_long(stages: Sequence[Stage]) -> list[Stage]:
    """Stages that long ones need come first, each part in the given order."""
    makers = {table.name: stage for stage in stages for table in stage.outputs}
    early = with_needed(filter(_is_long, stages), makers)
    return sorted(stages, key=lambda stage: stage.name not in early)


def _is_long(stage: Stage) -> bool:
    return isinstance(stage, PythonStage) and stage.is_long


class Lanes:
    """Stages that are to run, and those that run.

    Large stages run one at a time, because of their memory. Stages that can wait begin when no
    other can. Otherwise, the given order decides.
    """

    def __init__(
        self,
        stages: Iterable[Stage],
        *,
        is_large: Callable[[Stage], bool],
        can_wait: Callable[[Stage], bool],
    ) -> None:
        self._waiting, self._is_large, self._can_wait = list(stages), is_large, can_wait
        self._unmade = {table.name for stage in self._waiting for table in stage.outputs}
        self._large: Stage | None = None
        self._error: BaseException | None = None
        self._changed = threading.Condition()

    def run(self, works: Sequence[Callable[[Stage], None]], interrupt: Callable[[], None]) -> None:
        """Run all stages, each with the function of its lane; with one lane, in the given order.

        After an error no stage begins, and those that run are interrupted; then it is raised.
        """
        others = [
            threading.Thread(target=self._run_lane, args=(work, interrupt), daemon=True)
            for work in works[1:]
        ]
        for thread in others:
            thread.start()
        self._run_lane(works[0], interrupt)
        for thread in others:
            thread.join()
        if self._error is not None:
            raise self._error

    def _run_lane(self, work: Callable[[Stage], None], interrupt: Callable[[], None]) -> None:
        try:
            while (stage := self._take()) is not None:
                work(stage)
                self._finish(stage)
        except BaseException as error:
            self.stop(error)
            interrupt()

    def stop(self, error: BaseException) -> None:
        """Begin no more stages, and raise this error, unless there was one before."""
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()

    def _take(self) -> Stage | None:
        """The next stage, as soon as there is one that can run; None if no more is to be done."""
        with self._changed:
            while self._waiting and self._error is None:
                for is_last_choice in (False, True):
                    for stage in self._waiting:
                        if self._can_wait(stage) == is_last_choice and self._can_run(stage):
                            return self._begin(stage)
                self._changed.wait()
            return None

    def _can_run(self, stage: Stage) -> bool:
        has_inputs = self._unmade.isdisjoint(stage.inputs)
        return has_inputs and not (self._large is not None and self._is_large(stage))

    def _begin(self, stage: Stage) -> Stage:
        self._waiting.remove(stage)
        if self._is_large(stage):
            self._large = stage
        return stage

    def _finish(self, stage: Stage) -> None:
        with self._changed:
            self._unmade.difference_update(table.name for table in stage.outputs)
            if self._large is stage:
                self._large = None
            self._changed.notify_all()
