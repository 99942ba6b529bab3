"""All contestants on one game: opened, compared, and measured in turns."""

from __future__ import annotations

from dataclasses import dataclass, field
import tempfile

from contestants import Entry
from measure import NotAvailableError, Run, Sample
from process import Process
from rows import Row

_ONE_THREAD = '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1'


@dataclass(frozen=True)
class Plan:
    """How long and where to measure."""

    seconds: float
    rounds: int
    # -1: any core.
    core: int
    python: str
    peer_python: str
    # The longest time for one answer of a contestant, in seconds; compiling is one.
    patience: float = 600.0
    # Whether to start ours twice, to know how long it takes without and with a cache.
    measures_start: bool = True


@dataclass
class Measured:
    """What is known of one contestant on one game."""

    # Why there is nothing ('' if there is).
    missing: str = ''
    runs: list[Run] = field(default_factory=list)
    sample: Sample | None = None
    # Seconds from the start of the process until ready, and what part of it is our own work; the
    # first time, and again with everything in the cache.
    first_start: tuple[float, float] | None = None
    start: tuple[float, float] | None = None
    facts: dict[str, object] = field(default_factory=dict)


class Tournament:
    """One game; leaves no process behind when used with `with`."""

    def __init__(self, row: Row, plan: Plan) -> None:
        self.row = row
        self.measured: dict[str, Measured] = {}
        self._plan = plan
        self._processes: dict[str, Process] = {}
        self._cache = tempfile.TemporaryDirectory()

    def enter(self, entry: Entry) -> None:
        """Open a contestant; ours twice if the plan measures that."""
        result = self.measured[entry.name] = Measured()
        try:
            process = self._open(entry)
            if entry.is_ours and self._plan.measures_start:
                result.first_start = process.start_seconds, process.open_seconds
                process.close()
                process = self._open(entry)
            result.start = process.start_seconds, process.open_seconds
            self._processes[entry.name] = process
        except NotAvailableError as error:
            result.missing = str(error)

    def warm_up(self) -> None:
        """Let everybody compile, and find sizes that fit."""
        self._everybody(lambda process, _: process.play(self._plan.seconds / 4))

    def sample(self) -> None:
        """Ask everybody how random games go."""

        def ask(process: Process, result: Measured) -> None:
            result.sample = process.sample(self._plan.seconds)

        self._everybody(ask)

    def play(self) -> None:
        """Measure everybody in turns, so that a busy minute of the machine hits all alike."""
        for _ in range(self._plan.rounds):
            self.play_round()

    def play_round(self) -> None:
        """Measure everybody once."""
        self._everybody(lambda p, result: result.runs.append(p.play(self._plan.seconds)))

    def ask_facts(self) -> None:
        """Ask everybody for sizes, versions and memory."""
        self._everybody(lambda process, result: result.facts.update(process.facts()))

    def close(self) -> None:
        """End all contestants."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()
        self._cache.cleanup()

    def __enter__(self) -> Tournament:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, entry: Entry) -> Process:
        plan = self._plan
        python = plan.python if entry.is_ours else plan.peer_python
        environment = {'GDL_CACHE': self._cache.name} if plan.measures_start else {}
        if not entry.is_ours:
            # XLA would start threads for a core that it has to itself.
            environment['XLA_FLAGS'] = _ONE_THREAD
        return Process(entry, self.row, python, plan.core, environment, plan.patience)

    def _everybody(self, act) -> None:  # type: ignore[no-untyped-def]
        """Do something with each contestant; one that fails is out."""
        for name, process in list(self._processes.items()):
            try:
                act(process, self.measured[name])
            except NotAvailableError as error:
                self.measured[name].missing = str(error)
                self._processes.pop(name).close()
