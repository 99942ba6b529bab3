"""The engine contract: pure functions of a state.

An engine knows the rules of one game and nothing of a match: it keeps no current state, draws no
random numbers and asks no role for a move. Whoever plays (see `interpreter.py`) does that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import TypeAlias

from gdl_env.errors import ExhaustedError
from gdl_env.language.game import Game, Turns
from gdl_env.language.game import Role as LanguageRole
from gdl_env.language.keywords import RANDOM
from gdl_env.language.terms import Compound, Symbol, Term, symbol_names
from gdl_env.play.visibility import visible_facts

Role: TypeAlias = LanguageRole
Move: TypeAlias = Term
Fact: TypeAlias = Term
State: TypeAlias = frozenset[Fact]
Moves: TypeAlias = Mapping[Role, Move]

# The role that nature plays.
NATURE: Role = Symbol(RANDOM)


@dataclass(frozen=True)
class Outcome:
    """One way a chance event can go."""

    value: Term
    probability: Fraction


@dataclass(frozen=True)
class Playout:
    """How one game of random moves went; one that was cut or got stuck is not terminal."""

    steps: int
    goals: Mapping[Role, int | None]
    is_terminal: bool = True


class Engine(ABC):
    """The rules of one game, ready to be asked.

    Every method may raise EngineLimitError (the rules ran past a limit), RuleError (a rule has no
    defined answer there) or EngineError. An engine stays usable after an error.
    """

    # Whether large numbers end in a NumberRangeError; others have integers of any size.
    has_limited_numbers: bool = False
    # The name it was opened by, and the engines that could not run the game, with their reasons.
    name: str = ''
    passed_over: tuple[tuple[str, str], ...] = ()

    def __init__(self, game: Game) -> None:
        self.game = game

    # ---- what every engine answers

    @property
    @abstractmethod
    def roles(self) -> tuple[Role, ...]:
        """Return all roles in the order of the rules, `random` included."""

    @property
    @abstractmethod
    def initial_state(self) -> State:
        """Return the state every match starts from."""

    @abstractmethod
    def is_terminal(self, state: State) -> bool:
        """Tell whether the game is over."""

    @abstractmethod
    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        """Return the sorted legal moves of every role (an empty tuple where it has none).

        Moves may name an experiment, as `(roll dice)`: see `outcomes`. In a terminal state the
        answer is what the rules give; nobody should act on it.
        """

    @abstractmethod
    def goals(self, state: State) -> Mapping[Role, int | None]:
        """Return the goal value of every role, None where the rules give none.

        Where the rules give several, the largest counts.
        """

    @abstractmethod
    def next_state(self, state: State, moves: Moves) -> State:
        """Return the state after the moves, in which no experiment is named any more.

        The moves are taken as they are: whether they are legal is not asked. In a serial game a
        step in which every move is `noop` returns the state as it is (see `play/noop.py`).
        """

    @abstractmethod
    def percepts(self, state: State, moves: Moves) -> Mapping[Role, frozenset[Term]]:
        """Return what each role perceives of a step by `(sees role percept)` rules (GDL-II)."""

    @abstractmethod
    def experiments(self, state: State) -> Mapping[str, tuple[Outcome, ...]]:
        """Return the weighted random experiments of a state, by name.

        Events of weight 0 are left out; probabilities of one experiment add up to 1.
        """

    def playouts(self, count: int, seed: int, max_steps: int) -> Iterator[Playout]:
        """Play games of uniformly random moves; engines with a faster way override this."""
        from gdl_env.engine.interpreter import play_randomly

        return play_randomly(self, count, seed, max_steps)

    def size(self) -> str:
        """Describe in a few words how large the game is to this engine; '' where it cannot say."""
        return ''

    def close(self) -> None:  # noqa: B027 - most engines hold nothing
        """Release processes and memory; the engine must not be used afterwards."""

    # ---- what follows from it

    def view(self, state: State, role: Role) -> State:
        """Return the part of a state that a role may see.

        In a game of percepts (GDL-II) no part of the state is shown: the answer is empty.
        """
        return visible_facts(self.game, state, role)

    def actors(self, state: State) -> tuple[Role, ...]:
        """Return the roles that act in this state, in order.

        Joint turns: all of them act together. Serial turns: any one of them acts next, but
        `random` alone while it has a move.
        """
        legal = self.legal_moves(state)
        acting = tuple(role for role in self.roles if legal[role])
        if self.game.turns is Turns.SERIAL and NATURE in acting:
            return (NATURE,)
        return acting

    def outcomes(self, state: State, move: Move) -> tuple[Outcome, ...]:
        """Return the moves that a legal move may become once its experiments are drawn.

        Each experiment is drawn once in a move, however often its name occurs there; different
        experiments are independent.
        """
        named = sorted(symbol_names(move) & self.game.experiments)
        if not named:
            return (Outcome(move, Fraction(1)),)
        experiments = self.experiments(state)
        results = [Outcome(move, Fraction(1))]
        for name in named:
            results = [
                Outcome(replace(r.value, name, o.value), r.probability * o.probability)
                for r in results
                for o in experiments.get(name, ())
            ]
        return tuple(results)

    def drawable_outcomes(self, state: State, move: Move) -> tuple[Outcome, ...]:
        """Return the outcomes of a move that is about to be played: at least one.

        Raises ExhaustedError if it names an experiment none of whose events can happen.
        """
        outcomes = self.outcomes(state, move)
        if not outcomes:
            experiments = self.experiments(state)
            named = sorted(symbol_names(move) & self.game.experiments)
            raise ExhaustedError(next(name for name in named if not experiments.get(name)))
        return outcomes

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def replace(term: Term, name: str, value: Term) -> Term:
    """Return the term with every argument (or itself) that is the symbol `name` replaced."""
    if isinstance(term, Symbol):
        return value if term.name == name else term
    if isinstance(term, Compound):
        return Compound(term.name, tuple(replace(arg, name, value) for arg in term.args))
    return term
