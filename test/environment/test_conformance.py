"""Every tick of an environment, on every game, is what the rules say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lane_cases import COIN, SERIAL, asked, choose_all, small, told
import numpy as np
import pytest

from gdl_env.engine.batch.engine_batch import EngineBatch
from gdl_env.engine.contract import NATURE, Engine, Role, State
from gdl_env.engine.interpreter import InterpretedStep
from gdl_env.engine.mapping import open_encoding
from gdl_env.engine.registry import open_engine
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import NO_GOAL
from gdl_env.environment.trace import Trace
from gdl_env.language.game import Game, Information, Turns
from gdl_env.language.terms import Term


@dataclass
class Lane:
    """What must be so in one lane, by an engine of its own."""

    state: State = frozenset()
    # Percepts since the role moved last.
    seen: dict[Role, set[Term]] = field(default_factory=dict)
    is_first: bool = True
    ends: list[tuple[dict[Role, State], Mapping[Role, int | None]]] = field(default_factory=list)


class Checked(Trace):
    """Follows all lanes, and asks an engine whether what happens there is right."""

    def __init__(self, environment: Environment, engine: Engine) -> None:
        game = environment.game
        super().__init__(game.game, game.roles, game.lanes)
        self.engine = engine
        self.players = game.players
        self.lane = [Lane() for _ in range(game.lanes)]
        self.steps = 0
        game.trace = self
        environment.reset(3)

    def tick(self) -> None:
        for lane in self.lane:
            lane.is_first = True
            lane.ends.clear()

    def begin(self, lane: int, initial: State, seed: int | None = None) -> None:
        assert initial == self.engine.initial_state
        self.lane[lane].state = initial
        self.lane[lane].seen = {role: set() for role in self.players}

    def step(self, lane: int, step: InterpretedStep) -> None:
        now = self.lane[lane]
        self.steps += 1
        legal = self.engine.legal_moves(now.state)
        actors = set(self.engine.actors(now.state))
        if self.engine.game.turns is Turns.SERIAL:
            assert len(step.chosen) == 1
            assert set(step.chosen) <= actors
        else:
            assert set(step.chosen) == actors
        assert set(step.played) == set(step.chosen)
        for role, move in step.chosen.items():
            assert move in legal[role]
            outcomes = [o.value for o in self.engine.outcomes(now.state, move)]
            assert step.played[role] in outcomes
        if now.is_first:
            for role in set(step.chosen) - {NATURE}:
                now.seen[role].clear()
        now.is_first = False
        if self.engine.game.information is Information.PERCEPTS:
            percepts = self.engine.percepts(now.state, step.played)
            for role in self.players:
                assert step.percepts.get(role, frozenset()) == percepts[role]
                now.seen[role] |= percepts[role]
        now.state = self.engine.next_state(now.state, step.played)
        assert step.state == now.state

    def end(self, lane: int, goals: Mapping[Role, int | None] | None) -> None:
        now = self.lane[lane]
        assert goals is not None
        assert self.engine.is_terminal(now.state)
        wanted = self.engine.goals(now.state)
        assert goals == {role: wanted[role] for role in self.players}
        now.ends.append(({role: self.view(lane, role) for role in self.players}, goals))

    def view(self, lane: int, role: Role) -> State:
        if self.engine.game.information is Information.PERCEPTS:
            return frozenset(self.lane[lane].seen[role])
        return self.engine.view(self.lane[lane].state, role)


def check_questions(environment: Environment, checked: Checked) -> None:
    mapping = environment.game.mapping
    assert mapping is not None
    some_decides = np.zeros(environment.game.lanes, np.bool_)
    for player, role in enumerate(environment.game.players):
        question = environment.question(str(role), with_text=True)
        assert question.observation is not None
        assert question.legal is not None
        seen, legal = question.observation.unpack(), question.legal.unpack()
        assert question.facts == tuple(sorted(map(str, checked.view(0, role))))
        assert not [
            fact
            for fact in question.facts
            for other in environment.roles
            if other != str(role) and fact.startswith(f'(sees {other} ')
        ]
        for lane in range(environment.game.lanes):
            moves = checked.engine.legal_moves(checked.lane[lane].state)[role]
            wanted = mapping.observe(checked.view(lane, role), role)
            assert np.array_equal(seen[lane], wanted.astype(np.bool_))
            if question.to_move[lane]:
                assert len(moves) > 1
                mask = mapping.action_mask(role, moves).astype(np.bool_)
                assert np.array_equal(legal[lane], mask)
            else:
                assert not legal[lane].any()
        some_decides |= environment.decides[player]
    assert some_decides.all()


def check_step(environment: Environment, checked: Checked, step: object) -> None:
    mapping = environment.game.mapping
    assert mapping is not None
    for role in environment.game.players:
        feedback = step.feedback[str(role)]  # type: ignore[attr-defined]
        over = np.array([bool(lane.ends) for lane in checked.lane])
        assert np.array_equal(feedback.is_over, over)
        assert np.array_equal(feedback.terminated, over)
        final = iter(feedback.final_observation.unpack() if over.any() else ())
        for lane, now in enumerate(checked.lane):
            if not now.ends:
                assert feedback.goal[lane] == NO_GOAL
                assert feedback.reward[lane] == 0
                continue
            ((views, goals),) = now.ends
            assert feedback.goal[lane] == goals[role]
            assert feedback.reward[lane] == pytest.approx((goals[role] or 0) / 5 - 10)
            wanted = mapping.observe(views[role], role)
            assert np.array_equal(next(final), wanted.astype(np.bool_))


def check(environment: Environment, engine: Engine, ticks: int) -> None:
    checked = Checked(environment, engine)
    chance = np.random.default_rng(5)
    for _ in range(ticks):
        check_questions(environment, checked)
        answers = choose_all(environment, chance)
        checked.tick()
        step = environment.step(answers)
        check_step(environment, checked, step)
        for role, given in answers.items():
            assert given.action is not None
            decided = given.action >= 0
            played = step.feedback[role].action
            assert np.array_equal(played[decided], given.action[decided])
    assert checked.steps >= ticks
    environment.close()


def on_engine(game: Game, options: Options) -> Environment:
    """Play lanes step by step, also of a game that compiles."""
    lanes = Lanes(EngineBatch(open_engine(game)), open_encoding(game), options.lanes)
    return Environment(lanes, options)


@pytest.mark.parametrize(('lanes', 'ticks'), [(1, 40), (64, 8)])
@pytest.mark.each_game
def test_every_game(game: Game, lanes: int, ticks: int) -> None:
    with open_engine(game) as engine:
        check(Environment.open(game, Options(lanes=lanes)), engine, ticks)


def test_every_game_on_any_engine(game: Game) -> None:
    with open_engine(game) as engine:
        check(on_engine(game, Options(lanes=3)), engine, 12)


@pytest.mark.prolog
def test_every_game_by_the_reference(game: Game) -> None:
    with open_engine(game, 'prolog') as engine:
        check(Environment.open(game, Options(lanes=2)), engine, 10)


@pytest.mark.parametrize('text', [COIN, SERIAL], ids=['coin', 'serial'])
@pytest.mark.parametrize('is_compiled', [True, False], ids=['circuit', 'engine'])
def test_small_games(text: str, is_compiled: bool) -> None:
    game = small(text)
    options = Options(lanes=40)
    environment = Environment.open(game, options) if is_compiled else on_engine(game, options)
    with open_engine(game) as engine:
        check(environment, engine, 15)


def test_engines_forget_old_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('gdl_env.engine.batch.engine_batch._MOST_KEPT', 20)
    game = small(SERIAL)
    with open_engine(game) as engine:
        check(on_engine(game, Options(lanes=8)), engine, 60)


@pytest.mark.each_game
def test_lanes_of_both_kinds_agree(game: Game) -> None:
    options = Options(lanes=5)
    compiled, other = Environment.open(game, options), on_engine(game, options)
    if game.experiments:
        pytest.skip('engines draw from experiments in their own order')
    chance = np.random.default_rng(7)
    for _ in range(25):
        assert asked(compiled) == asked(other)
        answers = choose_all(compiled, chance)
        assert told(compiled.step(answers)) == told(other.step(answers))
    assert compiled.tallies == other.tallies
