"""Rules as players of others read them: plain GDL, in which every role always has a move.

Players of the GGP competitions know neither types nor arithmetic, and expect `noop` of those who
have nothing to decide. Rules that need more are written as their ground instances. Names are in
lower case, as in every message: some players tell capitals from small letters.
"""

from __future__ import annotations

import logging
from random import Random

from gdl_env.engine.contract import Engine
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.grounding.pipeline import ground_game
from gdl_env.engine.grounding.program import GroundProgram
from gdl_env.errors import GdlError
from gdl_env.language.formulas import Arithmetic, Count
from gdl_env.language.game import Game, Information, Role
from gdl_env.language.reader import read_role
from gdl_env.language.terms import Term

# Random games, and steps of each, in which roles without a move are looked for.
_GAMES, _STEPS = 4, 100
# Beyond this a message would have tens of megabytes.
_MOST_INSTANCES = 300_000

_log = logging.getLogger(__name__)


class PlainRulesError(GdlError):
    """Rules that plain GDL cannot express, or only at great length."""


def rules_for_others(engine: Engine) -> str:
    """Return the rules in plain GDL where that is possible, else as they are, with a warning."""
    try:
        return write_plain_rules(engine)
    except PlainRulesError as error:
        _log.warning('%s; players get the rules as they are', error)
        return str(engine.game)


def write_plain_rules(engine: Engine) -> str:
    """Return the rules of an engine's game in plain GDL. Raises PlainRulesError."""
    game = engine.game
    if game.information is Information.STATE:
        raise PlainRulesError(f'{game.name} hides parts of its state by (true (sees …))')
    if _is_plain(game) and not _lacks_moves(engine):
        return str(game)
    try:
        program = ground_game(game)
    except GroundingError as error:
        raise PlainRulesError(f'{game.name} cannot be written in plain GDL: {error}') from error
    if program.counters:
        raise PlainRulesError(f'{game.name} counts, which plain GDL cannot express')
    if len(program.bodies().head) > _MOST_INSTANCES:
        raise PlainRulesError(f'{game.name} is too large for plain GDL')
    return '\n'.join(_Writer(program, game).write()) + '\n'


def _is_plain(game: Game) -> bool:
    formulas = (formula for rule in game.rules for formula in rule.formulas())
    return not game.is_typed and not any(isinstance(f, Arithmetic | Count) for f in formulas)


def _lacks_moves(engine: Engine) -> bool:
    """Tell whether a role without a move is met before the end of a few random games."""
    random = Random(0)
    for _ in range(_GAMES):
        state = engine.initial_state
        for _ in range(_STEPS):
            if engine.is_terminal(state):
                break
            legal = engine.legal_moves(state)
            if not all(legal.get(role) for role in engine.roles):
                return True
            state = engine.next_state(state, {r: random.choice(m) for r, m in legal.items()})
    return False


class _Writer:
    """Ground rules as text; `noop` for every role that has nothing to do."""

    def __init__(self, program: GroundProgram, game: Game) -> None:
        self._program = program
        self._game = game
        # By the number of an atom: how it is written in a condition, and as a conclusion.
        self._names: dict[int, str] = {}
        self._legal: list[tuple[int, Role, Term]] = []
        # Of relations that do not depend on the state: what always holds.
        self._facts: list[str] = []
        for relation in program.relations:
            self._name_atoms(relation)

    def write(self) -> list[str]:
        """Return the rules, a line each."""
        lines = [f'(role {role})' for role in self._game.roles]
        lines += self._facts
        lines += [f'(base {args[0]})' for _, args in self._program.atoms('true/1')]
        lines += [f'(input {role} {move})' for _, (role, move) in self._program.atoms('does/2')]
        bodies = self._program.bodies()
        for number, head in enumerate(bodies.head.tolist()):
            literals = bodies.literals[bodies.start[number] : bodies.start[number + 1]].tolist()
            lines.append(self._rule(self._names[head], [self._literal(one) for one in literals]))
        return lines + self._write_legal()

    def _name_atoms(self, relation: str) -> None:
        name, _, arity = relation.rpartition('/')
        for atom, args in self._program.atoms(relation):
            if name == 'legal':
                role, move = args
                self._legal.append((atom, read_role(str(role)), move))
            if name in {'true', 'does', 'next', 'goal', 'sees', 'terminal', 'init'}:
                # Tables have at least one column.
                text = name if arity == '0' else f'({name} {" ".join(map(str, args))})'
            else:
                text = f'holds_{atom}'
            if atom >= 0:
                self._names[atom] = text
            elif name in {'init', 'next', 'goal', 'sees', 'terminal'}:
                self._facts.append(text)

    def _literal(self, literal: int) -> str:
        name = self._names[literal >> 1]
        return f'(not {name})' if literal & 1 else name

    def _rule(self, head: str, body: list[str]) -> str:
        return f'(<= {" ".join([head, *body])})' if body else head

    def _write_legal(self) -> list[str]:
        """Return what is legal: `noop` where nothing else is."""
        order = {role: number for number, role in enumerate(self._game.roles)}
        lines, able = [], set()
        for atom, role, move in self._legal:
            own = f'may_{order[role]}'
            able.add(role)
            body = [self._names[atom]] if atom >= 0 else []
            lines.append(self._rule(own, body))
            lines.append(self._rule(f'(legal {role} {move})', body))
        for role, number in order.items():
            body = [f'(not may_{number})'] if role in able else []
            lines.append(self._rule(f'(legal {role} noop)', body))
        return lines
