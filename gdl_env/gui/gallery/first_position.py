"""The first position of a game, as its rules say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gdl_env.engine.explanation.state_evaluator import StateEvaluator
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.scene import Scene
from gdl_env.gui.drawing.view_file import ViewFile
from gdl_env.language.game import Game
from gdl_env.language.terms import Compound, Term, Variable, args_of
from gdl_env.ros.launch.topology import NATURE


@dataclass(frozen=True)
class FirstPosition:
    """A picture, the roles that agents play, and what each may do."""

    scene: Scene
    roles: tuple[str, ...]
    legal: Mapping[str, tuple[str, ...]]


def find_first_facts(game: Game) -> list[Term]:
    """Return what holds at the start. Raises GdlError."""
    question = Compound('init', (Variable('fact'),))
    return [args_of(found)[0] for found in StateEvaluator(game, ()).ask(question)]


def paint_first(game: Game, name: str, view: ViewFile) -> FirstPosition:
    """Draw how a game begins. Raises GdlError or ValueError."""
    facts = find_first_facts(game)
    roles = tuple(str(role) for role in game.roles if str(role) != NATURE)
    legal: dict[str, list[str]] = {role: [] for role in roles}
    question = Compound('legal', (Variable('role'), Variable('move')))
    for found in StateEvaluator(game, facts).ask(question):
        role, move = args_of(found)
        if str(role) in legal:
            legal[str(role)].append(str(move))
    shown = [str(fact) for fact in facts]
    every = [move for moves in legal.values() for move in moves]
    painter = Painter(name, roles, game, shown, every, view)
    found_moves = {role: tuple(sorted(moves)) for role, moves in legal.items()}
    return FirstPosition(painter.paint(shown), roles, found_moves)
