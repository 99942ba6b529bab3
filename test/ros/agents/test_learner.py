"""Learners, followers and evaluators as real nodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.torch, pytest.mark.timeout(180)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('torch', reason='PyTorch is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.action import Train  # noqa: E402
from gdl_msgs.msg import Evaluation, Policy, State, Status  # noqa: E402
from gdl_msgs.srv import ListLevels, SetLevel  # noqa: E402
from graph import open_graph, read_all  # noqa: E402
import numpy as np  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402

from gdl_agents.learning.dqn.collector import Collector  # noqa: E402
from gdl_agents.learning.dqn.learning_agent import LearningAgent  # noqa: E402
from gdl_agents.learning.dqn.model import About, Model  # noqa: E402
from gdl_agents.learning.dqn.network_agent import NetworkAgent  # noqa: E402
from gdl_agents.learning.training.evaluation import Arena  # noqa: E402
from gdl_agents.ros.learning.intake import Intake  # noqa: E402
from gdl_agents.ros.learning.learner_order import FeedbackFirst  # noqa: E402
from gdl_agents.ros.learning.learner_run import LearnerRun  # noqa: E402
from gdl_agents.ros.learning.learner_ticks import Ticks, unheard  # noqa: E402
from gdl_agents.ros.learning.policy_agent import PolicyAgent  # noqa: E402
from gdl_agents.ros.learning.policy_message import from_policy  # noqa: E402
from gdl_env.environment.bits import Bits  # noqa: E402
from gdl_env.environment.environment import Environment  # noqa: E402
from gdl_env.environment.lanes.open_lanes import open_lanes  # noqa: E402
from gdl_env.environment.options import Options  # noqa: E402
from gdl_env.environment.protocol import Feedback  # noqa: E402
from gdl_env.environment.protocol import Question as Asked  # noqa: E402
from gdl_env.language.library import find_game  # noqa: E402
from gdl_env.language.load import load_game  # noqa: E402
from gdl_env.ros.transport import qos  # noqa: E402

if TYPE_CHECKING:
    from graph import Graph, Process

# Small, so that an update takes no time.
OPTIONS = 'algorithm=dqn,batch=16,warm_up=32,updates=0.25,log_every=20,checkpoint_every=40'
OPTIONS += ',evaluation_games=20'


class Question:
    def __init__(self, tick: int, role: str = 'x') -> None:
        self.tick = tick
        self.role = role


def test_questions_wait_for_feedback() -> None:
    answered: list[int] = []
    order = FeedbackFirst(lambda question: answered.append(question.tick))
    order.ask(Question(5))  # type: ignore[arg-type]
    order.ask(Question(6))  # type: ignore[arg-type]
    assert answered == [5], 'nobody knows how tick 5 ended'
    order.release('x', 5)
    assert answered == [5, 6]
    order.release('x', 6)
    order.ask(Question(7))  # type: ignore[arg-type]
    assert answered == [5, 6, 7]


def test_questions_wait_for_what_others_were_told() -> None:
    answered: list[tuple[str, int]] = []
    order = FeedbackFirst(lambda question: answered.append((question.role, question.tick)))
    order.across = True
    order.ask(Question(1, 'x'))  # type: ignore[arg-type]
    order.release('o', 1)
    order.ask(Question(2, 'o'))  # type: ignore[arg-type]
    assert answered == [('x', 1)], 'x received no feedback on tick 1'
    order.release('x', 1)
    assert answered == [('x', 1), ('o', 2)]
    order.across = False
    order.release('o', 2)
    order.ask(Question(3, 'o'))  # type: ignore[arg-type]
    assert answered[-1] == ('o', 3), 'x counts ticks of its own'


class Pupil:
    """Writes down what it is shown."""

    version = 0

    def __init__(self) -> None:
        self.seen: list[tuple[object, ...]] = []

    def watch(self, question: Any, action: Any) -> None:
        self.seen.append(('watch', question.role, question.tick, action.tolist()))

    def learn(self, feedback: Feedback) -> None:
        self.seen.append(('learn', feedback.role, feedback.tick, int(feedback.episode[0])))


def asked(tick: int, role: str) -> Asked:
    nothing = Bits(np.ones((1, 1), np.uint8), 8)
    yes = np.ones(1, np.bool_)
    return Asked(tick, role, np.ones(1, np.uint64), yes, nothing, nothing)


def told(tick: int, role: str, action: int = -1) -> Feedback:
    """Return the feedback of a tick; the role was asked if it acted."""
    no = np.zeros(1, np.bool_)
    zero = np.zeros(1, np.float32)
    played = np.array([action], np.int32)
    goal, origin = np.full(1, 255, np.uint8), np.full(1, action >= 0, np.uint8)
    return Feedback(tick, role, np.ones(1, np.uint64), zero, goal, no, no, played, origin, None)


def test_ticks_are_learned_from_in_their_order() -> None:
    pupil: Any = Pupil()
    intake = Intake()
    ticks = Ticks(('x', 'o'), 'far/', lambda feedback, role: None, intake)
    ticks.add_question(asked(2, 'o'), pupil)
    ticks.add_feedback(told(2, 'o', 5), pupil)
    ticks.add_feedback(told(2, 'x'), pupil)
    # All of tick 2 is known, and nothing of a tick before: it is the first.
    first = pupil.seen
    assert [kind for kind, *_ in first] == ['learn', 'learn', 'watch', 'learn', 'learn']
    assert first[0][3] == first[1][3] == 0, 'what was pending is dropped'
    assert first[2] == ('watch', 'far/o', 2, [5])
    # Told of tick 4 before tick 3: they are turned round.
    pupil.seen = []
    ticks.add_question(asked(3, 'x'), pupil)
    for feedback in (told(4, 'x'), told(4, 'o', 1), told(3, 'o'), told(3, 'x', 7)):
        ticks.add_feedback(feedback, pupil)
    assert {tick for _, _, tick, _ in pupil.seen} == {3}, 'the question of tick 4 may still come'
    assert intake.lost == 0
    ticks.add_question(asked(5, 'o'), pupil)
    assert pupil.seen[0] == ('watch', 'far/x', 3, [7])
    assert [tick for _, _, tick, _ in pupil.seen] == [3, 3, 3, 4, 4, 4]
    # What o was asked at tick 4 was lost: its decision is unknown, and so are results of others.
    assert pupil.seen[3] == ('learn', 'far/o', 4, 0)
    # What does not come is passed over, after a while.
    pupil.seen = []
    for tick in range(6, 80):
        ticks.add_feedback(told(tick, 'x'), pupil)
        ticks.add_feedback(told(tick, 'o'), pupil)
    assert {tick for _, _, tick, _ in pupil.seen} == set(range(6, 80))
    # The decision of tick 4, and all of tick 5; ticks 2 to 4 and 6 to 79 were learned from.
    assert (intake.lost, intake.taken) == (2, 77)
    ticks.add_feedback(told(5, 'x'), pupil)
    assert pupil.seen[-1][2] == 79


def test_lost_feedback_is_not_waited_for() -> None:
    answered: list[int] = []
    order = FeedbackFirst(lambda question: answered.append(question.tick))
    order.ask(Question(1))  # type: ignore[arg-type]
    order.ask(Question(3))  # type: ignore[arg-type]
    order.give_up()
    assert answered == [1], 'it may still come'
    order.give_up()
    assert answered == [1, 3]


def test_pending_decisions_are_dropped_where_ticks_were_missed() -> None:
    feedback = Feedback(
        tick=9,
        role='a/x',
        episode=np.ones(2, np.uint64),
        reward=np.array([5, 0], np.float32),
        goal=np.array([100, 255], np.uint8),
        terminated=np.array([True, False]),
        truncated=np.zeros(2, np.bool_),
        action=np.array([3, -1], np.int32),
        origin=np.ones(2, np.uint8),
        final_observation=None,
    )
    nothing = np.full((2, 1), 1, np.uint8)
    question = Asked(
        tick=7,
        role='a/x',
        episode=feedback.episode,
        to_move=np.ones(2, np.bool_),
        observation=Bits(nothing, 8),
        legal=Bits(nothing, 8),
    )
    collector = Collector(2, 1, 1, 1, 0.99)
    collector.decide(question, np.zeros(2, np.int32))
    collector.add_feedback(unheard(feedback))
    assert len(collector.add_feedback(feedback)) == 0, 'the result of tick 7 is unknown'
    collector.decide(question, np.zeros(2, np.int32))
    assert len(collector.add_feedback(feedback)) == 1


def test_follower_plays_by_the_newest_weights() -> None:
    arena = Arena(load_game(find_game('tictactoe')), 4)
    follower, models = PolicyAgent(), []
    for seed in range(2):
        learner = LearningAgent('algorithm=dqn')
        learner.begin(arena.info, arena.roles, seed)
        assert learner.learner is not None
        models.append(learner.learner.model())
    environment = Environment(open_lanes(load_game(find_game('tictactoe')), 4), Options(4))
    (question,) = environment.questions(only_decisions=True)
    follower.begin(arena.info, ('x',), 0)
    assert follower.choose(question).action is not None, 'at random, before the first policy'
    for version, model in enumerate(models):
        follower.take(model, version)
        alone = NetworkAgent(model)
        alone.begin(arena.info, ('x',), 0)
        found, wanted = follower.choose(question).action, alone.choose(question).action
        assert found is not None and wanted is not None
        assert (found == wanted).all() and follower.version == version
    arena.close()


def train(graph: Graph, episodes: int) -> Any:
    client = graph.do(lambda: ActionClient(graph.node, Train, 'train'))
    graph.wait(client.server_is_ready)
    goal = None
    while goal is None or not goal.accepted:
        future = graph.do(lambda: client.send_goal_async(Train.Goal(episodes=episodes)))
        graph.wait(future.done)
        goal = future.result()
    return goal


def test_learner_on_the_graph(tmp_path: Path) -> None:
    with open_graph(tmp_path) as graph:
        run = tmp_path / 'run'
        graph.environment(lanes=8, seed=1, play_clock=0.0)
        learner = graph.start(
            'learner_node', roles=['x'], watch=['o'], detail=OPTIONS, run=run, publish_every=20
        )
        graph.start('dqn_agent', node='o_copy', role='o', follow='policy', epsilon=0.1)
        graph.start('evaluator_node', games=20, folder=tmp_path / 'evaluation')
        evaluations = graph.collect(Evaluation, 'evaluation', qos.evaluation_qos())
        questions = graph.collect(State, 'o/state', qos.state_qos())

        # It learns and publishes, and the environment plays for it.
        goal = train(graph, 120)
        result = graph.do(goal.get_result_async)
        graph.wait(result.done, 60)
        told = result.result().result
        assert told.success, (told, graph.report())
        assert told.episodes >= 120 and told.version > 50
        assert questions

        # Who comes late gets the newest policy, and it is the checkpoint.
        policies = graph.collect(Policy, 'policy', qos.policy_qos())
        graph.wait(lambda: policies)
        (policy,) = read_all(policies, Policy)
        assert policy.version == told.version
        assert (policy.game, policy.roles, policy.algorithm) == ('tictactoe', ['x', 'o'], 'dqn')
        model, kept = from_policy(policy), Model.load(Path(told.checkpoint))
        assert all((model.weights[name] == kept.weights[name]).all() for name in kept.weights)
        names = ('metrics.csv', 'config.yaml', 'learning_curve.png', 'checkpoint.npz')
        assert all((run / name).stat().st_size for name in names)
        graph.wait(lambda: read_all(evaluations, Evaluation)[-1:])
        last = read_all(evaluations, Evaluation)[-1]
        assert list(last.roles) == ['x', 'o'] and list(last.games) == [20, 20]
        graph.wait(lambda: (tmp_path / 'evaluation' / 'learning_curve.png').exists())

        # What was learned is kept if training is called off.
        before = Path(told.checkpoint).stat().st_mtime_ns
        goal = train(graph, 1_000_000)
        graph.wait(lambda: len(policies) > 2)
        graph.wait(graph.do(goal.cancel_goal_async).done)
        result = graph.do(goal.get_result_async)
        graph.wait(result.done)
        told = result.result().result
        assert not told.success and told.message == 'cancelled'
        assert Path(told.checkpoint).stat().st_mtime_ns > before
        assert Model.load(Path(told.checkpoint)).about.episodes == told.episodes
        assert learner.stop() == 0, learner.output

        check_levels(graph, run)


def check_levels(graph: Graph, run: Path) -> None:
    """An agent that plays from the run tells and takes its levels."""
    graph.start('dqn_agent', node='player', role='x', detail=str(run))
    levels = graph.call(ListLevels, 'player/list_levels')
    assert levels.success and len(levels.level) == len(levels.reward) > 0
    assert graph.call(SetLevel, 'player/set_level', level='1').success
    wrong = graph.call(SetLevel, 'player/set_level', level='99')
    assert not wrong.success and 'no level 99' in wrong.message


@pytest.mark.timeout(300)
def test_two_actors_feed_one_learner(tmp_path: Path) -> None:
    with open_graph(tmp_path) as graph:
        run = tmp_path / 'run'
        policies = graph.collect(Policy, 'policy', qos.policy_qos())
        statuses = {
            name: graph.collect(Status, f'{name}/status', qos.status_qos()) for name in 'ab'
        }
        learner = graph.start(
            'learner_node', matches=['a', 'b'], detail=OPTIONS, run=run, publish_every=20
        )
        actors = {}
        for number, name in enumerate('ab'):
            namespace = f'{graph.namespace}/{name}'
            options = {'lanes': 8, 'seed': number, 'play_clock': 0.0, 'missing_clock': 0.0}
            graph.start(
                'env_node', node=f'env_{name}', namespace=namespace, episodes=-1, **options
            )
            actors[name] = start_actor(graph, name)

        def version() -> int:
            return max((policy.version for policy in read_all(policies, Policy)), default=0)

        def steps(name: str) -> int:
            return max((status.steps for status in read_all(statuses[name], Status)), default=0)

        # Five processes start at once, three of them with PyTorch.
        graph.wait(lambda: version() >= 40 and all(steps(name) > 200 for name in 'ab'), 150)

        # One is killed: its match stands still, and the learner continues with the other.
        actors['b'].kill()
        before, stopped = version(), steps('a')
        graph.wait(lambda: version() >= before + 60 and steps('a') > stopped)

        # It comes back, and the other is killed: the learner continues with this one.
        still = steps('b')
        actors['b'] = start_actor(graph, 'b')
        graph.wait(lambda: steps('b') > still)
        actors['a'].kill()
        before = version()
        graph.wait(lambda: version() >= before + 100)
        assert learner.stop() == 0, learner.output
        assert Model.load(run / 'checkpoint.npz').about.episodes > 50


def start_actor(graph: Graph, name: str) -> Process:
    """Start an agent that plays all roles of a match by the policy of the learner."""
    return graph.start(
        'dqn_agent',
        node=f'actor_{name}',
        namespace=f'{graph.namespace}/{name}',
        roles=['x', 'o'],
        follow=f'{graph.namespace}/policy',
        wait=True,
        epsilon=0.2,
    )


def test_what_is_proved_is_not_overwritten(tmp_path: Path) -> None:
    game = load_game(find_game('tictactoe'))
    arena = Arena(game, 4)
    agent = LearningAgent('algorithm=dqn')
    agent.begin(arena.info, arena.roles, 0)
    arena.close()
    assert agent.learner is not None
    about = About('tictactoe', ('x', 'o'), 'dqn')
    run = LearnerRun(tmp_path / 'run', agent.config, about)
    model = run.model(agent.learner)
    path = tmp_path / 'run' / 'snapshots' / 'all_000000000.npz'
    model.with_about(proved=True).save(path)
    run.record_score(model, 3.0)
    assert Model.load(path).about.proved, 'a later one of the same episodes is not proved'
    path.unlink()
    run.record_score(model, 4.0)
    assert Model.load(path).about.reward == 4.0
