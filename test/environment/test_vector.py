"""Many games at once, seen by one role."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lane_cases import FORCED, SERIAL, choose, named, small
import numpy as np
import pytest

pytest.importorskip('gymnasium', reason="pip install '.[rl]'")

from gymnasium.vector import AutoresetMode

from gdl_env.adapters.gymnasium import VectorEnvironment
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.mapping import open_encoding
from gdl_env.engine.registry import open_engine
from gdl_env.environment.options import OptionsError
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.language.load import load_game


class FirstMove:
    """Plays the first legal action."""

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        self.begun = info.lanes, roles, seed
        self.ticks: list[int] = []

    def choose(self, question: Question) -> Answer:
        assert question.legal is not None
        self.ticks.append(question.tick)
        legal = question.legal.unpack()
        assert np.array_equal(legal.any(axis=1), question.to_move)
        action = np.where(question.to_move, legal.argmax(axis=1), -1).astype(np.int32)
        return Answer(question.tick, question.role, 'first', action)


class Drawing(FirstMove):
    """Draws by the seed and the tick, as agents do."""

    def choose(self, question: Question) -> Answer:
        return choose(question, np.random.default_rng([self.begun[2], question.tick]))


def draw(infos: dict[str, Any], chance: np.random.Generator) -> Any:
    mask = infos['action_mask']
    return (chance.random(mask.shape) * mask).argmax(axis=1)


def run(environment: VectorEnvironment, steps: int, seed: int | None) -> list[bytes]:
    chance = np.random.default_rng(0)
    seen, infos = environment.reset(seed=seed)
    found = [seen.tobytes()]
    for _ in range(steps):
        seen, rewards, terminated, truncated, infos = environment.step(draw(infos, chance))
        found += [seen.tobytes(), rewards.tobytes(), terminated.tobytes(), truncated.tobytes()]
    return found


def players(name: str) -> list[str]:
    return [str(role) for role in named(name).roles if str(role) != 'random']


def is_long(rule_file: Path) -> bool:
    """Tell whether hardly any random game is over after a role has decided twelve times."""
    with open_engine(load_game(rule_file)) as engine:
        lengths = [playout.steps for playout in engine.playouts(20, seed=1, max_steps=60)]
    return min(lengths) > 12


@pytest.mark.each_game
def test_every_game_and_role(rule_file: Path) -> None:
    for role in players(rule_file.stem):
        environment = VectorEnvironment(rule_file, role, lanes=5, max_steps=60)
        chance = np.random.default_rng(1)
        seen, infos = environment.reset(seed=3)
        ended = 0
        for _ in range(12):
            assert environment.observation_space.contains(seen)
            waiting = ~infos['to_move']
            assert ((infos['action_mask'].sum(axis=1) > 1) == ~waiting).all()
            action = draw(infos, chance)
            assert environment.action_space.contains(action)
            seen, rewards, terminated, truncated, infos = environment.step(action)
            over = terminated | truncated
            # Lanes wait where an episode has ended before the role had a decision.
            assert over[waiting].all()
            ended += int(over.sum())
            assert rewards.shape == over.shape == (5,)
            assert not rewards[~over].any()
            assert ('final_obs' in infos) == over.any()
            if over.any():
                goal = infos['goal']
                assert np.array_equal(infos['_final_obs'], over)
                assert np.allclose(rewards[terminated], goal[terminated] / 5 - 10)
                assert (goal[~over] == -1).all()
        assert ended or is_long(rule_file)
        # The role has never been late.
        assert environment.environment.tallies[role].strikes == 0
        environment.close()


@pytest.mark.parametrize('role', ['x', 'o'])
def test_against_the_interpreter(role: str) -> None:
    game = named('tictactoe')
    mapping = open_encoding(game)
    other = 'o' if role == 'x' else 'x'
    lanes = 7
    environment = VectorEnvironment(game, role, {other: FirstMove()}, lanes=lanes)
    engine = open_engine(game)
    matches = [Interpreter(engine) for _ in range(lanes)]
    own, its = (next(r for r in matches[0].roles if str(r) == name) for name in (role, other))

    def go_on(match: Interpreter) -> None:
        while match.actors() == (its,):
            legal = match.legal_moves(its)
            first = min(legal, key=lambda move: mapping.action_index(its, move))
            match.step({its: first})

    for match in matches:
        go_on(match)
    chance = np.random.default_rng(2)
    seen, infos = environment.reset(seed=0)
    ended = 0
    for _ in range(40):
        for lane, match in enumerate(matches):
            assert np.array_equal(seen[lane], mapping.observe(match.view(own).facts, own))
            mask = mapping.action_mask(own, match.legal_moves(own))
            # The last field is a forced move: it is not asked for.
            assert np.array_equal(infos['action_mask'][lane], mask)
        action = draw(infos, chance)
        seen, rewards, terminated, _, infos = environment.step(action)
        for lane, match in enumerate(matches):
            match.step({own: mapping.move(own, int(action[lane]))})
            go_on(match)
            while not match.is_terminal and len(match.legal_moves(own)) == 1:
                match.step({own: match.legal_moves(own)[0]})
                go_on(match)
            assert terminated[lane] == match.is_terminal
            if match.is_terminal:
                ended += 1
                goal = match.goals()[own]
                assert goal is not None
                assert rewards[lane] == goal / 5 - 10
                final = mapping.observe(match.view(own).facts, own)
                assert np.array_equal(infos['final_obs'][lane], final)
                match.reset()
                go_on(match)
    assert ended > lanes


@pytest.mark.parametrize('name', ['tictactoe', 'monty_hall', 'simultaneous_krieg_tictactoe'])
def test_seed_repeats_everything(name: str) -> None:
    roles = players(name)
    opponents = {role: Drawing() for role in roles[1:]}
    environment = VectorEnvironment(name, roles[0], opponents, lanes=16)
    first = run(environment, 12, 5)
    assert run(environment, 12, None) != first
    assert run(environment, 12, 5) == first
    assert run(environment, 12, 6) != first
    fresh = {role: Drawing() for role in roles[1:]}
    assert run(VectorEnvironment(name, roles[0], fresh, lanes=16), 12, 5) == first


def test_opponents_are_told_who_they_are() -> None:
    opponent = FirstMove()
    environment = VectorEnvironment('tictactoe', 'x', {'o': opponent}, lanes=3)
    run(environment, 4, 9)
    assert opponent.begun == (3, ('o',), 9)
    assert opponent.ticks == sorted(opponent.ticks)
    assert opponent.ticks[0] == 2


def test_random_opponents_are_fair() -> None:
    environment = VectorEnvironment('tictactoe', 'x', lanes=2000)
    chance = np.random.default_rng(0)
    _, infos = environment.reset(seed=1)
    goals = []
    for _ in range(15):
        *_, infos = environment.step(draw(infos, chance))
        if 'goal' in infos:
            goals.append(infos['goal'][infos['_goal']])
    # The exact expectation of random play is 64.8 of 100.
    assert np.concatenate(goals).mean() == pytest.approx(64.8, abs=1.5)


def test_illegal_actions_end_the_game() -> None:
    environment = VectorEnvironment('tictactoe', 'x', {'o': FirstMove()}, lanes=2, illegal='end')
    environment.reset(seed=0)
    *_, infos = environment.step(np.array([4, 5]))
    _, rewards, terminated, _, infos = environment.step(np.array([4, 6]))
    assert terminated.tolist() == [True, False]
    assert rewards.tolist() == [-10, 0]
    assert infos['goal'].tolist() == [-1, -1]


def test_opponents_who_break_the_rules_end_it_too() -> None:
    class Cheat(FirstMove):
        def choose(self, question: Question) -> Answer:
            return Answer(question.tick, question.role, 'cheat', np.full(2, 99, np.int32))

    environment = VectorEnvironment('tictactoe', 'x', {'o': Cheat()}, lanes=2, illegal='end')
    environment.reset(seed=0)
    _, rewards, terminated, _, infos = environment.step(np.array([4, 5]))
    assert terminated.all()
    assert not rewards.any()
    assert infos['to_move'].all()


def test_episodes_without_a_decision_are_told_one_a_step() -> None:
    environment = VectorEnvironment(small(FORCED), 'r', lanes=40)
    _, infos = environment.reset(seed=2)
    goals = []
    for _ in range(20):
        assert not infos['to_move'].any()
        assert not infos['action_mask'].any()
        _, rewards, terminated, _, infos = environment.step(np.zeros(40, np.int64))
        assert terminated.all()
        assert np.array_equal(rewards, infos['goal'] / 5 - 10)
        goals.append(infos['goal'])
    assert np.mean(goals) == pytest.approx(50, abs=8)


def test_rewards_of_others_moves_are_summed(tmp_path: Path) -> None:
    code = tmp_path / 'counting_reward.py'
    code.write_text(
        'import numpy as np\n'
        'from gdl_env.environment.rewards import Reward\n\n\n'
        'class Ticks(Reward):\n'
        '    def __call__(self, results):\n'
        '        return np.ones(len(results.goal), np.float32)\n',
        'utf-8',
    )
    environment = VectorEnvironment(small(SERIAL), 'ann', lanes=3, reward=f'{code}:Ticks')
    environment.reset(seed=0)
    say = environment.environment.game.moves(0, 0)['(say yes)']
    _, rewards, *_ = environment.step(np.full(3, say))
    assert rewards.min() >= 2


def test_it_is_what_gymnasium_expects() -> None:
    environment = VectorEnvironment('tictactoe', 'x', lanes=4)
    assert environment.metadata['autoreset_mode'] is AutoresetMode.SAME_STEP
    assert environment.num_envs == 4
    assert environment.observation_space.shape == (4, environment.single_observation_space.n)
    assert environment.render() is None
    environment.close()
    assert environment.closed


@pytest.mark.parametrize(
    ('role', 'more', 'message'),
    [
        ('z', {}, "no role 'z'; roles: x, o"),
        ('x', {'opponents': {'z': 'random'}}, "no role 'z'"),
        ('x', {'opponents': {'x': 'random'}}, 'x is the role that learns'),
        ('x', {'opponents': {'o': 'clever'}}, "no opponent 'clever'"),
        ('x', {'lanes': 0}, 'lanes must be 1 or more'),
        ('x', {'episodes': 3}, 'episodes have no end'),
        ('x', {'turn': 'first'}, "turn 'first'"),
    ],
)
def test_bad_options(role: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        VectorEnvironment('tictactoe', role, **more)


def test_arrays_belong_to_the_caller() -> None:
    # Memory is used again, but never what a caller holds, nor a part of it.
    environment = VectorEnvironment('tictactoe', 'x', lanes=40)
    chance = np.random.default_rng(1)
    seen, infos = environment.reset(seed=3)
    held: list[tuple[Any, Any]] = [(seen[3:5], seen[3:5].copy())]
    for step in range(30):
        seen, rewards, _, _, infos = environment.step(draw(infos, chance))
        arrays = [seen, rewards, infos['action_mask'], infos['to_move']]
        if 'final_obs' in infos:
            arrays.append(infos['final_obs'])
            assert not infos['final_obs'][~infos['_final_obs']].any()
            assert infos['final_obs'][infos['_final_obs']].any(axis=1).all()
        if step % 3:
            held += [(array[1:], array[1:].copy()) for array in arrays]
    assert all(np.array_equal(array, copy) for array, copy in held)
    assert environment.environment.tallies.finished > 40


def test_memory_is_used_again() -> None:
    environment = VectorEnvironment('tictactoe', 'x', lanes=8)
    chance = np.random.default_rng(1)
    _, infos = environment.reset(seed=3)
    places = set()
    for _ in range(20):
        seen, _, _, _, infos = environment.step(draw(infos, chance))
        places.add(seen.ctypes.data)
    assert len(places) <= 3
