"""One running game on top of an engine: current state, chance, history, observers.

This is the binding a program uses to run a game (issue moves, reset, ask for legal moves, states,
goals, views) and to be told when what a role sees has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from types import MappingProxyType

from gdl_env.engine.contract import (
    NATURE,
    Engine,
    Move,
    Moves,
    Outcome,
    Playout,
    Role,
    State,
)
from gdl_env.errors import GdlError, IllegalMoveError
from gdl_env.language.game import Information, Turns
from gdl_env.language.terms import Term


@dataclass(frozen=True)
class View:
    """What one role knows after a step."""

    role: Role
    # The visible part of the state; in a game of percepts what was perceived since the last
    # decision. How many steps went by is not told: it may be hidden too.
    facts: frozenset[Term]
    is_terminal: bool
    # Its own goal value, known when the game is over.
    goal: int | None = None


Observer = Callable[[View], None]

# More steps of chance in a row than any game deals cards.
_MAX_CHANCE_STEPS = 10_000


@dataclass(frozen=True)
class InterpretedStep:
    """One step of a match: the moves as chosen, as played, and the state they led to."""

    # What the roles chose; may name experiments.
    chosen: Moves
    # What was played: experiments replaced by what was drawn.
    played: Moves
    state: State
    percepts: Mapping[Role, frozenset[Term]] = field(default_factory=dict)


class Interpreter:
    """A match in progress.

    `random` is played by the interpreter: alone and before any other role in serial games, along
    with the others in joint ones.
    """

    def __init__(self, engine: Engine, seed: int | None = None) -> None:
        self.engine = engine
        self.roles = tuple(role for role in engine.roles if role != NATURE)
        self.state: State = frozenset()
        self.history: list[InterpretedStep] = []
        self._observers: dict[Role, list[Observer]] = {}
        self._shown: dict[Role, tuple[frozenset[Term], bool]] = {}
        self._random = Random(seed)
        self.reset()

    # ---- running

    def reset(self, seed: int | None = None) -> None:
        """Start a new match; with a seed, chance repeats itself."""
        if seed is not None:
            self._random = Random(seed)
        self.state = self.engine.initial_state
        self.history.clear()
        self._shown.clear()
        self._play_nature()
        self._publish()

    def actors(self) -> tuple[Role, ...]:
        """Return the roles whose move is wanted now; none when the game is over."""
        if self.is_terminal:
            return ()
        return tuple(role for role in self.engine.actors(self.state) if role != NATURE)

    def step(self, moves: Mapping[Role, Move]) -> InterpretedStep:
        """Play one step: the moves of all actors in a joint game, of one actor in a serial one.

        Raises IllegalMoveError or GdlError and leaves everything as it was if the moves do not
        fit; chance is drawn here.
        """
        self._check(moves)
        chosen = dict(moves)
        if self.engine.game.turns is Turns.JOINT:
            nature = self.engine.legal_moves(self.state).get(NATURE, ())
            if nature:
                chosen[NATURE] = self._random.choice(nature)
        step = self._apply(chosen)
        self._play_nature()
        self._publish()
        return step

    def replay(self, played: Moves) -> InterpretedStep:
        """Play moves whose chance is already drawn, `random` included, without asking the rules.

        This repeats a recorded step; use `step` to play.
        """
        step = self._apply(dict(played), drawn=dict(played))
        self._publish()
        return step

    def undo(self) -> bool:
        """Take back the last step (and what chance did after it); False at the start."""
        first = self._first_decision()
        while len(self.history) > first:
            step = self.history.pop()
            self.state = self.history[-1].state if self.history else self.engine.initial_state
            if set(step.played) != {NATURE}:
                self._notify()
                return True
        return False

    # ---- asking

    @property
    def is_terminal(self) -> bool:
        """Tell whether the match is over."""
        return self.engine.is_terminal(self.state)

    def legal_moves(self, role: Role) -> tuple[Move, ...]:
        """Return the legal moves of a role, none when the match is over."""
        self._check_role(role)
        return () if self.is_terminal else self.engine.legal_moves(self.state)[role]

    def goals(self) -> Mapping[Role, int | None]:
        """Return the goal values of the roles that are played."""
        goals = self.engine.goals(self.state)
        return {role: goals[role] for role in self.roles}

    def view(self, role: Role) -> View:
        """Return what a role sees now."""
        self._check_role(role)
        return self._view(role, self._facts_for(role))

    def observe(self, role: Role, observer: Observer) -> Callable[[], None]:
        """Call `observer` with the view of a role, now and whenever it changed.

        Returns a function that ends it.
        """
        self._check_role(role)
        observers = self._observers.setdefault(role, [])
        observers.append(observer)
        self._shown.setdefault(role, (self._facts_for(role), self.is_terminal))
        observer(self.view(role))
        return lambda: observers.remove(observer)

    # ---- inside

    def _check_role(self, role: Role) -> None:
        if role not in self.roles:
            raise GdlError(f'{role} is not a role; roles: {", ".join(map(str, self.roles))}')

    def _check(self, moves: Mapping[Role, Move]) -> None:
        if self.is_terminal:
            raise GdlError('the game is over; reset it to play again')
        actors = self.actors()
        for role, move in moves.items():
            legal = self.legal_moves(role) if role in actors else ()
            if move not in legal:
                raise IllegalMoveError(role, move, legal)
        if self.engine.game.turns is Turns.SERIAL:
            if len(moves) != 1:
                raise GdlError(f'one role moves at a time in this game, got {len(moves)} moves')
            return
        missing = [str(role) for role in actors if role not in moves]
        if missing:
            raise GdlError(f'no move given for {", ".join(missing)}')

    def _apply(
        self, chosen: dict[Role, Move], drawn: dict[Role, Move] | None = None
    ) -> InterpretedStep:
        if drawn is None:
            drawn = {role: self._draw(move) for role, move in chosen.items()}
        percepts: Mapping[Role, frozenset[Term]] = {}
        if self._is_percepts:
            percepts = self.engine.percepts(self.state, drawn)
        state = self.engine.next_state(self.state, drawn)
        step = InterpretedStep(MappingProxyType(chosen), MappingProxyType(drawn), state, percepts)
        self.history.append(step)
        self.state = state
        if self._is_percepts:
            # Percepts belong to their step: they are reported before chance moves.
            self._notify()
        return step

    def _draw(self, move: Move) -> Move:
        outcomes = self.engine.drawable_outcomes(self.state, move)
        return outcomes[0].value if len(outcomes) == 1 else draw(outcomes, self._random)

    def _play_nature(self) -> None:
        """Play `random` until it has no move left (serial), or while only it can act (joint)."""
        for _ in range(_MAX_CHANCE_STEPS):
            if self.is_terminal or self.engine.actors(self.state) != (NATURE,):
                return
            move = self._random.choice(self.engine.legal_moves(self.state)[NATURE])
            self._apply({NATURE: move})
        raise GdlError(f'only random has moved for {_MAX_CHANCE_STEPS} steps: no role gets a turn')

    def _first_decision(self) -> int:
        """Return the number of opening steps that only chance played."""
        count = 0
        while count < len(self.history) and set(self.history[count].played) == {NATURE}:
            count += 1
        return count

    def _facts_for(self, role: Role) -> frozenset[Term]:
        if not self._is_percepts:
            return self.engine.view(self.state, role)
        facts: frozenset[Term] = frozenset()
        for step in reversed(self.history):
            facts |= step.percepts.get(role, frozenset())
            if set(step.played) != {NATURE}:
                break
        return facts

    def _view(self, role: Role, facts: frozenset[Term]) -> View:
        is_over = self.is_terminal
        return View(role, facts, is_over, self.engine.goals(self.state)[role] if is_over else None)

    @property
    def _is_percepts(self) -> bool:
        return self.engine.game.information is Information.PERCEPTS

    def _publish(self) -> None:
        """Show the state once chance has settled."""
        if not self._is_percepts or not self.history:
            self._notify()

    def _notify(self) -> None:
        """Tell the observers whose view changed: other facts, or the end of the match."""
        for role, observers in self._observers.items():
            facts = self._news(role)
            seen = facts, self.is_terminal
            # The same percept twice is news twice; the same state is not.
            is_news = seen != self._shown.get(role) or (self._is_percepts and bool(facts))
            self._shown[role] = seen
            if is_news:
                view = self._view(role, facts)
                for observer in list(observers):
                    observer(view)

    def _news(self, role: Role) -> frozenset[Term]:
        """Return what a role may see after the last step: the percepts of that step alone."""
        if self._is_percepts and self.history:
            return self.history[-1].percepts.get(role, frozenset())
        return self._facts_for(role)


def draw(outcomes: tuple[Outcome, ...], random: Random) -> Term:
    """Draw one outcome by its probability, exactly (no rounding)."""
    scale = 1
    for outcome in outcomes:
        scale = scale * outcome.probability.denominator
    weights = [int(outcome.probability * scale) for outcome in outcomes]
    pick = random.randrange(sum(weights))
    for outcome, upper in zip(outcomes, accumulate(weights), strict=True):
        if pick < upper:
            return outcome.value
    raise AssertionError('unreachable: the pick is below the sum of the weights')


def play_randomly(engine: Engine, count: int, seed: int, max_steps: int) -> Iterator[Playout]:
    """Play games in which every actor moves uniformly at random.

    In a serial game the next actor is drawn too. A game longer than `max_steps` is cut.
    """
    random = Random(seed)
    match = Interpreter(engine, seed)
    for _ in range(count):
        match.reset(random.getrandbits(64))
        while (actors := match.actors()) and len(match.history) < max_steps:
            if engine.game.turns is Turns.SERIAL:
                actors = (random.choice(actors),)
            match.step({role: random.choice(match.legal_moves(role)) for role in actors})
        yield Playout(len(match.history), match.goals(), match.is_terminal)
