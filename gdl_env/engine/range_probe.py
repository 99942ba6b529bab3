"""Whether values of a game leave the ranges that its rules declare: by its rules, and in play.

What single rules allow is an upper bound: that no pile gets below 0 may follow from all rules
together. So a few random games are played, and the states of a small game are looked at one by
one: what leaves its range there is an error; what did not, though more states are left, is worth a
note.
"""

from __future__ import annotations

from time import perf_counter

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.contract import NATURE
from gdl_env.engine.grounding.budget import UNLIMITED
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.grounding.literals import NormalRule
from gdl_env.engine.grounding.normal import normalise
from gdl_env.engine.grounding.outside import describe_mark, find_bounds, is_mark, rule_of
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.table import TemplateTable
from gdl_env.engine.mapping.typed import TypedEncoding
from gdl_env.engine.perft import each_step
from gdl_env.errors import EngineError, RangeError
from gdl_env.language.diagnostics import Diagnostic, Severity
from gdl_env.language.game import Game, Information, Rule
from gdl_env.language.terms import Term, Typed, subterms

# Seconds of random games, beside compiling the game (which is kept, and has a limit of its own).
_PLAYING = 0.3
# Seconds for going through the states of a game.
_EXPLORING = 0.5
_GAMES = 1024
_MAX_STEPS = 1000

_ALLOWED = 'a range or type that holds every value that the game reaches'


def probe_ranges(game: Game) -> list[Diagnostic]:
    """Return an error for a value that leaves its range in play, or notes where that is open.

    A game that the circuit engine cannot run is not played: other engines ignore ranges.
    """
    if not any(True for rule in game.rules for _ in find_bounds(rule)):
        return []
    if not any(map(_makes_mark, normalise(game, UNLIMITED).rules)):
        return []
    try:
        engine = CircuitEngine(game)
    except GroundingError:
        return []
    if not engine.vocabulary.marks:
        return []
    try:
        games = _play(engine)
        if _explore(engine):
            return []
    except RangeError as error:
        return [_error(error, game)]
    except EngineError:
        # Another problem, which `gdl random` shows.
        games = 0
    first: dict[int, Term] = {}
    for mark in engine.vocabulary.marks:
        first.setdefault(rule_of(mark), mark)
    return [_note(mark, games, game) for mark in first.values()]


def probe_types(game: Game) -> list[Diagnostic]:
    """Return a warning for each rule that can give a fact, move or percept its types do not hold.

    Such a game is played as it is written, but its vectors have no place for what lies outside.
    Values outside a range of `next` are looked at by `probe_ranges`.
    """
    if not any(_has_annotation(rule.head) for rule in game.rules):
        return []
    try:
        encoding = TypedEncoding(game)
        vocabulary = CircuitEngine(game).vocabulary
    except (EncodingError, GroundingError):
        return []
    tables = [
        (encoding.state_table, vocabulary.own_facts),
        (encoding.action_table, [move for role, move in vocabulary.legal if role != NATURE]),
    ]
    if game.information is Information.PERCEPTS:
        percepts = [percept for role, percept in vocabulary.percepts if role != NATURE]
        tables.append((encoding.observation_table, percepts))
    found: dict[Rule, Diagnostic] = {}
    for table, terms in tables:
        if not isinstance(table, TemplateTable):
            continue
        for term in terms:
            if table.find(term) is not None:
                continue
            for template in table.similar(term):
                message = (
                    f'this rule can give {term}, outside of {template}; such a game cannot be'
                    ' learned'
                )
                typed = (rule for rule in template.rules if _has_annotation(rule.head))
                rule = next(typed, template.rules[0])
                found.setdefault(
                    rule,
                    Diagnostic(Severity.WARNING, 'open-type', message, rule.span, _ALLOWED),
                )
    return list(found.values())


def _has_annotation(head: Term) -> bool:
    return any(isinstance(part, Typed) for part in subterms(head))


def _makes_mark(rule: NormalRule) -> bool:
    return rule.relation == 'next/1' and is_mark(rule.args[0])


def _play(engine: CircuitEngine) -> int:
    """Play random games for a while; return how many."""
    start, seed = perf_counter(), 0
    while perf_counter() - start < _PLAYING:
        for _ in engine.play_batches(_GAMES, seed, _MAX_STEPS):
            pass
        seed += 1
    return _GAMES * seed


def _explore(engine: CircuitEngine) -> bool:
    """Go through the states of a game; return whether there was time for all of them."""
    end = perf_counter() + _EXPLORING
    seen = {engine.initial_state}
    left = [engine.initial_state]
    while left:
        state = left.pop()
        if engine.is_terminal(state):
            continue
        for moves in each_step(engine, state):
            if perf_counter() > end:
                return False
            after = engine.next_state(state, moves)
            if after not in seen:
                seen.add(after)
                left.append(after)
    return True


def _error(error: RangeError, game: Game) -> Diagnostic:
    message = f'play reaches {error.what}, outside the range {error.bounds}'
    return Diagnostic(Severity.ERROR, 'left-range', message, game.rules[error.rule].span, _ALLOWED)


def _note(mark: Term, games: int, game: Game) -> Diagnostic:
    found = describe_mark(mark, game, is_open=True)
    message = f'this rule by itself can give {found.what}, outside the range {found.bounds}'
    if games:
        message += f'; {games:,} random games did not reach it'
    return Diagnostic(
        Severity.NOTE, 'open-range', message, game.rules[rule_of(mark)].span, _ALLOWED
    )
