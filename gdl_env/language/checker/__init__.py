"""Context conditions: everything that can be wrong with a game whose text parses.

One file a family of conditions. Errors stop a game, warnings are for what is sloppy but can be
played, notes for what an author may want to know.
"""

from __future__ import annotations

from gdl_env.language.checker.advice import FAULTS, find_advice
from gdl_env.language.checker.arity import check_arity
from gdl_env.language.checker.chance import check_chance
from gdl_env.language.checker.dependencies import check_dependencies
from gdl_env.language.checker.graph import DependencyGraph
from gdl_env.language.checker.information import check_information
from gdl_env.language.checker.numbers import check_numbers
from gdl_env.language.checker.placement import check_placement
from gdl_env.language.checker.recursion import check_recursion
from gdl_env.language.checker.relations import check_relations
from gdl_env.language.checker.report import Report
from gdl_env.language.checker.safety import check_safety
from gdl_env.language.checker.state import check_state
from gdl_env.language.checker.stratification import check_stratification
from gdl_env.language.checker.style import check_style
from gdl_env.language.checker.types_check import check_types
from gdl_env.language.diagnostics import Diagnostic
from gdl_env.language.game import Game
from gdl_env.language.parser import SyntaxTree


def check(game: Game, tree: SyntaxTree) -> tuple[Diagnostic, ...]:
    """Return all findings, in the order of the text."""
    report = Report(tree.source)
    graph = DependencyGraph.from_game(game)
    check_placement(game, tree, report)
    # What is said of them is enough: a missing parenthesis makes functions of relations.
    misplaced = report.in_error(game.rules)
    check_style(game, tree, report)
    check_arity(game, misplaced, report)
    check_safety(game, report)
    check_numbers(game, report)
    check_dependencies(game, graph, report)
    check_stratification(graph, report)
    check_recursion(graph, report)
    check_relations(game, graph, misplaced, report)
    check_state(game, report)
    check_types(game, report)
    check_chance(game, report)
    check_information(game, report)
    report.soften(find_advice(game), FAULTS)
    return report.sorted()
