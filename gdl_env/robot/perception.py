"""From what a camera has seen to the legal move that explains it best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import product
from math import log
from typing import TypeAlias

from gdl_env.engine.contract import NATURE, Engine, Moves, State
from gdl_env.errors import GdlError
from gdl_env.language.game import Turns
from gdl_env.robot.advice import Adviser
from gdl_env.robot.piece_motions import Flips
from gdl_env.robot.positions import Place, Position, PositionReader

# How likely each content of a square is, by the pieces on it from the bottom; () is nothing.
# Squares that are missing are unknown.
SeenSquares: TypeAlias = Mapping[Place, Mapping[tuple[str, ...], float]]

# Nothing is less likely than this: a camera may be wrong, whatever it says.
_LEAST = 1e-4
# How many times less likely than something else a content is that contradicts the camera.
_CONTRADICTION = log(5)
# How many times more likely than any other explanation one has to be.
_CERTAIN = log(10)
# A square of which no content is as likely is not clear.
_CLEAR = 0.5
# More combinations of moves are not compared.
_MOST_CANDIDATES = 2_000
# Explanations that are named.
_NAMED = 4


class BoardVerdict(Enum):
    """What a picture of the board means."""

    # Nothing has been moved yet, or squares that matter cannot be seen.
    WAITING = 'waiting'
    MOVED = 'moved'
    # Several moves explain what is seen.
    AMBIGUOUS = 'ambiguous'
    # No legal move does.
    WRONG = 'wrong'


@dataclass(frozen=True)
class Recognition:
    """What a picture means: the moves of roles, or what is wrong and what to do, in sentences."""

    verdict: BoardVerdict
    moves: Mapping[str, str] = field(default_factory=dict)
    advice: str = ''


@dataclass(frozen=True)
class BoardCheck:
    """How pieces stand where they should stand otherwise, and what to do, in sentences."""

    position: Position
    # Squares on which nothing is likely, and least of all what should be there.
    unclear: tuple[Place, ...]
    # Empty if nothing contradicts what should be.
    advice: str


@dataclass
class _Explanation:
    """A position that the rules allow: moves that lead to it, and how well it fits."""

    position: Position
    states: dict[State, Moves]
    # Squares that it changes.
    changes: tuple[Place, ...] = ()
    cost: float = 0.0
    contradictions: tuple[Place, ...] = ()


class Recogniser:
    """Explains pictures of one game."""

    def __init__(self, engine: Engine, reader: PositionReader, flips: Flips = ()) -> None:
        self._engine = engine
        self._reader = reader
        self._adviser = Adviser(reader, flips)
        # What was explained last, and how: several pictures are taken of each position.
        self._explained: object = None
        self._before = _Explanation({}, {})
        self._after: list[_Explanation] = []

    def recognise(
        self, state: State, seen: SeenSquares, legal: Mapping[str, Sequence[str]] | None = None
    ) -> Recognition:
        """Return what has happened since a state.

        `legal` restricts the moves of some roles, as text. Raises GdlError if more combinations
        of moves are possible than can be compared.
        """
        before, after = self._explain(state, legal or {})
        costs = _Costs(seen, len(self._reader.pieces))
        costs.rate(before, after)
        ranked = sorted([before, *after], key=lambda one: one.cost)
        best = ranked[0]
        if best.contradictions:
            return self._describe_wrong(ranked, before, costs)
        if best is before:
            return Recognition(BoardVerdict.WAITING)
        rivals = [one for one in ranked[1:] if one.cost - best.cost < _CERTAIN]
        if before in rivals:
            # Nothing that is seen tells whether it has been played.
            return Recognition(BoardVerdict.WAITING, advice=self._ask_to_see(best, before, costs))
        if rivals:
            return self._describe_rivals([best, *rivals])
        if len(best.states) > 1:
            named = ' or '.join(self._name(moves) for moves in best.states.values())
            advice = f'The pieces stand alike after {named}: the move has to be said.'
            return Recognition(BoardVerdict.AMBIGUOUS, advice=advice)
        (moves,) = best.states.values()
        return Recognition(
            BoardVerdict.MOVED, {str(role): str(move) for role, move in moves.items()}
        )

    def check(self, wanted: Position, seen: SeenSquares) -> BoardCheck:
        """Compare what is seen with how pieces should stand."""
        costs = _Costs(seen, len(self._reader.pieces))
        one = _Explanation(wanted, {})
        costs.rate(one, ())
        shown = costs.most_likely(wanted)
        unclear = [place for place in costs.unclear if place in one.contradictions]
        differs = [p for p in one.contradictions if shown.get(p, ()) != wanted.get(p, ())]
        stands = {place: pieces for place, pieces in wanted.items() if place not in differs}
        stands |= {place: shown[place] for place in differs if place in shown}
        advice = self._adviser.advise(stands, wanted, unclear) if one.contradictions else ''
        return BoardCheck(stands, tuple(unclear), advice)

    def describe_hidden(self, wanted: Position, hidden: Iterable[Place] | None) -> BoardCheck:
        """Return that squares could not be seen; None: none at all."""
        if hidden is None:
            return BoardCheck(wanted, self._reader.places, 'The camera does not show the board.')
        places = tuple(sorted(hidden))
        return BoardCheck(wanted, places, f'The camera does not show {self._list(places)}.')

    # ---- explanations

    def _explain(
        self, state: State, legal: Mapping[str, Sequence[str]]
    ) -> tuple[_Explanation, list[_Explanation]]:
        """Return the position of a state, and those that moves lead to."""
        key = state, tuple((role, tuple(moves)) for role, moves in legal.items())
        if key != self._explained:
            before = _Explanation(self._reader.read(state), {})
            self._after = self._find_explanations(state, before.position, legal)
            self._before, self._explained = before, key
        return self._before, self._after

    def _find_explanations(
        self, state: State, unmoved: Position, legal: Mapping[str, Sequence[str]]
    ) -> list[_Explanation]:
        found: dict[frozenset[tuple[Place, tuple[str, ...]]], _Explanation] = {}
        for count, moves in enumerate(self._candidates(state, legal), start=1):
            if count > _MOST_CANDIDATES:
                raise GdlError(
                    f'more than {_MOST_CANDIDATES:,} combinations of moves are possible: a picture'
                    ' cannot tell which one was played'
                )
            after = self._engine.next_state(state, moves)
            position = self._reader.read(after)
            key = frozenset(position.items())
            found.setdefault(key, _Explanation(position, {})).states.setdefault(after, moves)
        # What cannot be seen has not been played.
        start = frozenset(unmoved.items())
        found.pop(start, None)
        for contents, one in found.items():
            one.changes = tuple({place for place, _ in contents ^ start})
        return list(found.values())

    def _candidates(self, state: State, legal: Mapping[str, Sequence[str]]) -> Iterator[Moves]:
        if self._engine.is_terminal(state):
            return
        every = self._engine.legal_moves(state)
        actors = self._engine.actors(state)
        choices = {}
        for role in actors:
            allowed = legal.get(str(role))
            moves = [move for move in every[role] if allowed is None or str(move) in allowed]
            choices[role] = [o.value for m in moves for o in self._engine.outcomes(state, m)]
        if self._engine.game.turns is Turns.SERIAL:
            for role in actors:
                yield from ({role: move} for move in choices[role])
            return
        for combination in product(*choices.values()):
            yield dict(zip(choices, combination, strict=True))

    # ---- words

    def _name(self, moves: Moves) -> str:
        shown = {str(role): str(move) for role, move in moves.items() if role != NATURE}
        return self._reader.describe(shown)

    def _ask_to_see(self, best: _Explanation, before: _Explanation, costs: _Costs) -> str:
        places = self._differences([best, before])
        hidden = [place for place in places if place not in costs.clear]
        return f'Not clear yet: {self._list(hidden)}.' if hidden else ''

    def _describe_rivals(self, rivals: list[_Explanation]) -> Recognition:
        named = [self._name(next(iter(one.states.values()))) for one in rivals[:_NAMED]]
        more = f' or {len(rivals) - _NAMED} others' if len(rivals) > _NAMED else ''
        places = self._list(self._differences(rivals[:_NAMED]))
        advice = f'It may be {" or ".join(named)}{more}; the difference is on {places}.'
        return Recognition(BoardVerdict.AMBIGUOUS, advice=advice)

    def _describe_wrong(
        self, ranked: list[_Explanation], before: _Explanation, costs: _Costs
    ) -> Recognition:
        """Say what is missing in the move that was probably meant, or else what to put back."""
        meant = min(ranked, key=lambda one: (len(one.contradictions), one.cost))
        is_move = len(meant.contradictions) < len(before.contradictions) and len(meant.states) == 1
        wanted = meant if is_move else before
        shown = costs.most_likely(wanted.position)
        unclear = [place for place in costs.unclear if place in wanted.contradictions]
        advice = self._adviser.advise(shown, wanted.position, unclear)
        if is_move:
            (moves,) = meant.states.values()
            name = self._name(moves)
            return Recognition(BoardVerdict.WRONG, advice=f'{name} is not complete. {advice}')
        return Recognition(
            BoardVerdict.WRONG, advice=f'No legal move leads to this board. {advice}'
        )

    def _differences(self, explanations: Sequence[_Explanation]) -> list[Place]:
        positions = [one.position for one in explanations]
        places = sorted({place for position in positions for place in position})
        return [p for p in places if len({position.get(p, ()) for position in positions}) > 1]

    def _list(self, places: Sequence[Place]) -> str:
        return ', '.join(self._reader.words(place) for place in places[:_NAMED])


class _Costs:
    """How unlikely contents are, given what was seen: negative logarithms."""

    def __init__(self, seen: SeenSquares, pieces: int) -> None:
        self._seen = seen
        self._pieces = max(1, pieces)
        best = {place: max(found.values(), default=0.0) for place, found in seen.items()}
        self._best = {place: -log(max(value, _LEAST)) for place, value in best.items()}
        self.clear = {place for place, value in best.items() if value >= _CLEAR}
        self.unclear = sorted(set(seen) - self.clear)

    def rate(self, before: _Explanation, after: Iterable[_Explanation]) -> None:
        """Note how well positions fit, and which squares contradict them."""
        costs = {p: self._cost(p, before.position.get(p, ())) for p in self._seen}
        contradicted = {place for place, cost in costs.items() if self._is_against(place, cost)}
        before.cost = sum(costs.values())
        before.contradictions = tuple(sorted(contradicted))
        for one in after:
            changed = {
                p: self._cost(p, one.position.get(p, ())) for p in one.changes if p in costs
            }
            one.cost = before.cost + sum(cost - costs[place] for place, cost in changed.items())
            against = {place for place, cost in changed.items() if self._is_against(place, cost)}
            one.contradictions = tuple(sorted((contradicted - changed.keys()) | against))

    def _is_against(self, place: Place, cost: float) -> bool:
        return cost - self._best[place] > _CONTRADICTION

    def most_likely(self, otherwise: Position) -> Position:
        """Return the position that was seen; squares that are not clear as in another one."""
        found = dict(otherwise)
        for place in self.clear:
            content = max(self._seen[place].items(), key=lambda item: item[1])[0]
            found.pop(place, None)
            if content:
                found[place] = content
        return found

    def _cost(self, place: Place, content: tuple[str, ...]) -> float:
        seen = self._seen[place]
        rest = max(0.0, 1.0 - sum(seen.values())) / self._pieces
        return -log(max(seen.get(content, rest), _LEAST))
