"""What is drawn makes games: over many seeds, and for every aim there is."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from gdl_agents.inventing.design import Aim, Design, Gait, Links, Luck, Moving, Outline, Timing
from gdl_agents.inventing.design_draws import draw_design, goes_together
from gdl_agents.inventing.naming import name_design
from gdl_agents.inventing.screening import screen_random_games, screen_rules
from gdl_agents.inventing.writing import write_rules
from gdl_env.engine.mapping import open_encoding
from gdl_env.engine.registry import open_engine
from gdl_env.engine.verification.verify import verify
from gdl_env.environment.environment import Environment
from gdl_env.gui.drawing.painter import Painter
from gdl_env.language.diagnostics import has_errors
from gdl_env.language.formatter import format_text
from gdl_env.language.load import game_from_text, read_game
from gdl_env.language.source import Source

SEEDS = range(200)


@cache
def drawn(seed: int) -> Design:
    return draw_design(Random(seed))


def text_of(design: Design) -> str:
    return write_rules(design, name_design(design), 'a test')


def first_with(aim: Aim) -> Design:
    return next(drawn(seed) for seed in range(10_000) if drawn(seed).goal.aim is aim)


def first_kinds() -> dict[str, Design]:
    """Return a design for each aim, and one for each special part."""
    wanted = {
        'hidden': lambda d: d.is_hidden,
        'together': lambda d: d.turns is Timing.TOGETHER,
        'coin': lambda d: d.turns is Timing.COIN,
        'die': lambda d: getattr(d.play, 'luck', None) is Luck.DIE,
        'miss': lambda d: getattr(d.play, 'luck', None) is Luck.MISS,
        'three': lambda d: len(d.roles) == 3,
        'trail': lambda d: isinstance(d.play, Moving) and d.play.leaves_rocks,
        'slide': lambda d: isinstance(d.play, Moving) and d.play.gait is Gait.SLIDE,
        'hop': lambda d: isinstance(d.play, Moving) and d.play.gait is Gait.HOP,
        'ring': lambda d: d.board.outline is Outline.CYLINDER,
    }
    found = {aim.value: first_with(aim) for aim in Aim}
    for name, is_wanted in wanted.items():
        found[name] = next(drawn(s) for s in range(10_000) if is_wanted(drawn(s)))
    return found


KINDS = first_kinds()


@pytest.mark.parametrize('first', range(0, len(SEEDS), 25))
def test_rules_have_no_findings_and_are_formatted(first: int) -> None:
    for seed in SEEDS[first : first + 25]:
        text = text_of(drawn(seed))
        game, found = read_game(Source(text))
        assert not found, (seed, text, found)
        assert format_text(text) == text
        assert game.is_typed
        assert all(len(line) <= 99 for line in text.splitlines())


def test_the_same_seed_gives_the_same_design_and_others_others() -> None:
    assert [draw_design(Random(seed)) for seed in SEEDS] == [drawn(seed) for seed in SEEDS]
    assert len({drawn(seed) for seed in SEEDS}) > 0.95 * len(SEEDS)
    assert len({name_design(drawn(seed)) for seed in SEEDS}) > len(SEEDS) / 3
    assert all(goes_together(drawn(seed)) for seed in SEEDS)


@pytest.mark.parametrize('kind', KINDS)
def test_ranges_hold_and_random_games_end(kind: str) -> None:
    text = text_of(KINDS[kind])
    assert screen_rules(text) is None
    found = screen_random_games(game_from_text(text))
    # A game may well be trivial: that is what screens are for.
    assert found is None or found.fault.value == 'trivial', found


@pytest.mark.prolog
@pytest.mark.parametrize('kind', KINDS)
def test_engines_agree(kind: str) -> None:
    game = game_from_text(text_of(KINDS[kind]))
    with open_engine(game, 'circuit') as first, open_engine(game, 'prolog') as second:
        found = verify(first, second, 30, seed=1)
    assert found.disagreement is None
    assert found.states == 30


@pytest.mark.slow
@pytest.mark.prolog
@pytest.mark.parametrize('seed', SEEDS[:60])
def test_engines_agree_on_many(seed: int) -> None:
    game = game_from_text(text_of(drawn(seed)))
    with open_engine(game, 'circuit') as first, open_engine(game, 'prolog') as second:
        assert verify(first, second, 60, seed).disagreement is None


@pytest.mark.parametrize('kind', KINDS)
def test_one_goal_for_each_player(kind: str) -> None:
    game = game_from_text(text_of(KINDS[kind]))
    with open_engine(game, 'circuit') as engine:
        for playout in engine.playouts(64, seed=2, max_steps=400):
            goals = sorted(goal for role, goal in playout.goals.items() if str(role) != 'random')
            is_drawn = set(goals) == {50}
            assert is_drawn or goals == [0] * (len(goals) - 1) + [100]


@pytest.mark.parametrize('kind', KINDS)
def test_other_sizes_are_games_too(kind: str) -> None:
    design = KINDS[kind]
    text = text_of(design)
    sizes = {'rows': str(design.board.rows + 2), 'columns': str(design.board.columns + 1)}
    _, found = read_game(Source(text), sizes)
    assert not has_errors(found)


@pytest.mark.parametrize('kind', KINDS)
def test_vectors_and_pictures_have_the_board(kind: str) -> None:
    design = KINDS[kind]
    game = game_from_text(text_of(design))
    encoding = open_encoding(game)
    size = design.board.rows, design.board.columns
    planes = encoding.planes()
    assert planes is not None
    assert planes.shape[1:] == size
    match = Environment.open(game)
    info = match.info()
    painter = Painter(name_design(design), match.roles, game, info.facts, info.moves)
    role = next(q.role for q in match.questions(with_text=True) if q.is_decision)
    question = match.question(role, with_text=True)
    scene = painter.paint(question.facts, question.legal_moves, role)
    match.close()
    picture = scene.boards[0]
    assert (len(picture.rows), len(picture.columns)) == size
    assert (picture.style == 'hex') == (design.board.links is Links.HEX)
    # Moves are made on the board, not chosen from a list.
    assert any(move.path or move.column >= 0 for move in scene.moves)
