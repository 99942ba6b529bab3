"""AlphaZero: tree search guided by a network that learned from its own games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from gdl_agents.errors import AgentError
from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.alphazero.inference import Inference
from gdl_agents.learning.alphazero.model import AlphaZeroModel
from gdl_agents.learning.alphazero.network_evaluator import NetworkEvaluator
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.levels.ladder import find_run_level, list_run_levels
from gdl_agents.learning.levels.reward_levels import Level
from gdl_agents.learning.training.device import AUTO, open_device
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.threads import use_threads
from gdl_agents.players.weakening import weaken
from gdl_agents.search.players.mcts import MctsAgent
from gdl_agents.search.players.options import Value
from gdl_agents.search.players.task import SearchTask
from gdl_agents.search.tree.forest import Forest
from gdl_agents.search.tree.tree_options import TreeOptions
from gdl_env.environment.protocol import Answer, MatchInfo, Question

# Evaluations search less than players.
EVALUATION_PLAYOUTS = 16
# Beside random games: visits of positions that the network is asked about at first, and the weight
# of its priors.
_FIRST_VISITS = 8
_MIXED_EXPLORATION = 2.0


class AlphaZeroAgent(MctsAgent):
    """Searches with the priors and values of a trained network.

    The detail is the folder of a run, or a snapshot, and perhaps options after it:
    `runs/connect_four/alphazero-selfplay-1@3 playouts=100`. With `@level` it plays as well as
    that. `playouts` are descents for a move, 0 for no limit; `time` is in seconds, 0 for no limit.
    The first of both that is reached ends the search; by default there are 200 playouts, and no
    limit where a time is given. Between moves the tree is kept, unless `reuse` is false.

    With a time alone, trees grow by random games as those of `mcts`, and the network is asked
    about positions that are visited often: its priors say where to look from there, and its value
    counts as `trust` random games. With playouts, without trust, and in games that do not
    compile, it is asked about every position. Then visits follow the priors, improved by values
    on the scale of `scale` and `visits` (see `AlphaZeroConfig`), or with `c` above 0, are chosen
    by PUCT; `wins` is its `win_moves`.
    """

    name = 'alphazero'
    follows_policy = True
    # Where the network is asked about every node, larger batches are worth their looseness.
    _asking_patience: ClassVar[int] = 2
    # Descents for a move, if neither playouts nor a time is given.
    usual_playouts: ClassVar[int] = 200
    defaults: ClassVar[Mapping[str, Value]] = {
        'time': 0.0,
        'playouts': 0,
        'c': 0.0,
        'scale': AlphaZeroConfig.value_scale,
        'visits': AlphaZeroConfig.value_visits,
        'wins': AlphaZeroConfig.win_moves,
        'trust': 6,
        'nodes': 400_000,
        'reuse': True,
    }

    def __init__(self, detail: str) -> None:
        """Find the run. Raises RunError, AgentError."""
        words = detail.replace(',', ' ').split()
        place = words[0] if words and '=' not in words[0] else ''
        super().__init__(' '.join(words[1:]))
        self._limit()
        path, _, self._level = place.partition('@')
        if not path:
            raise RunError(
                'agent alphazero needs a run or a snapshot: alphazero:runs/…; train one with'
                ' gdl train GAME --algorithm alphazero'
            )
        self._file = Path(path) if Path(path).is_file() else None
        self._run = None if self._file else RunFolder.open(path)
        self._model: AlphaZeroModel | None = None
        self._device = AUTO
        self._epsilon = 0.0
        # As given; a level may search less.
        self._searched = dict(self.options)

    @classmethod
    def of(cls, model: AlphaZeroModel, device: str = 'cpu', **options: Value) -> AlphaZeroAgent:
        """Return an agent that plays a model, with its network on a device."""
        agent = object.__new__(cls)
        MctsAgent.__init__(agent, ' '.join(f'{k}={v}' for k, v in options.items()))
        agent._file, agent._run, agent._level, agent._model = None, None, '', model
        agent._device, agent._epsilon = device, 0.0
        agent._limit()
        agent._searched = dict(agent.options)
        return agent

    def _limit(self) -> None:
        """Search for so many playouts where no limit is given. Raises AgentError."""
        options = self.options
        if not options['time'] and not options['playouts']:
            options['playouts'] = self.usual_playouts
        if not options['c'] and not options['scale']:
            raise AgentError('alphazero: either c or scale must be above 0')

    def find_end(self, task: SearchTask, started: float) -> float:
        """Return when thinking must end: by the option `time`, and by the match."""
        time = float(self.options['time']) or float('inf')
        return min(task.deadline, started + time * len(task.lanes))

    def levels(self, role: str = '') -> list[Level]:
        """Return the difficulty levels. Raises RunError if the agent was given a snapshot."""
        if self._run is None:
            raise RunError('one snapshot has no levels; name the folder of a run')
        return list_run_levels(self._run, role)

    def set_level(self, level: str) -> None:
        """Play as well as a level from the next match on; '' is the strongest."""
        if self._run is not None:
            find_run_level(self._run, level)
        self._level = level

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load rules and network. Raises RunError, LearningError, AgentError."""
        super().begin(info, roles, seed)
        # Batches are small: more threads would wait for each other.
        use_threads(1)
        model = self._model
        if model is None:
            path = self._file
            if path is None:
                path = self._take_level()
            model = AlphaZeroModel.load(path)
        model.check(info)
        network = model.build(str(open_device(self._device)))
        self._evaluator = NetworkEvaluator(Inference(network), self.table)
        self.patience = MctsAgent.patience if self._is_mixed else self._asking_patience

    @property
    def _is_mixed(self) -> bool:
        """Tell whether random games evaluate positions beside the network."""
        is_timed = self.options['time'] and not self.options['playouts']
        return bool(is_timed and self.options['trust'] and self.table.rules.facts is not None)

    def choose(self, question: Question) -> Answer:
        """Search in every lane that has a decision; some levels move at random now and then."""
        answer = super().choose(question)
        if not self._epsilon or answer.action is None:
            return answer
        action = weaken(question, answer.action, self._epsilon, self._seed)
        return replace(answer, action=action)

    def _take_level(self) -> Path:
        """Weaken the player to its level; return the snapshot that it plays."""
        assert self._run is not None
        level = find_run_level(self._run, self._level)
        self._epsilon = level.epsilon
        self.options = dict(self._searched)
        if level.playouts:
            # However long there is to think.
            self.options['playouts'] = level.playouts
        return level.snapshot.path

    def make_forest(self, task: SearchTask) -> Forest:
        """Return an empty forest whose leaves the network judges."""
        exploration = float(self.options['c'])
        if self._is_mixed:
            mixed = TreeOptions(
                int(self.options['nodes']),
                judge_visits=_FIRST_VISITS,
                judge_weight=int(self.options['trust']),
                judge_exploration=exploration or _MIXED_EXPLORATION,
                clock=task.clock,
            )
            return Forest(task.rules, task.key, mixed, self._evaluator, task.turns)
        options = TreeOptions(
            int(self.options['nodes']),
            exploration,
            value_scale=0.0 if exploration else float(self.options['scale']),
            value_visits=float(self.options['visits']),
            win_arms=int(self.options['wins']),
        )
        return Forest(task.rules, task.key, options, self._evaluator, task.turns)
