"""All options of learning and training, with their defaults and what they mean.

Which of them an algorithm has: see `algorithm_options`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.mmd.config import MmdConfig
from gdl_agents.learning.sequence.config import SequenceConfig
from gdl_agents.learning.training.tracking import TRACKERS

# What a network may be shared by: all roles, none, or all if what they see tells them apart.
SHARING = ('auto', 'yes', 'no')
ILLEGAL = ('end', 'random', 'best')
# `fixed` is followed by a colon and an agent.
MODES = ('random', 'fixed', 'selfplay', 'gate', 'league', 'together')
# In these, opponents are what the learner is or was.
WATCHED = ('selfplay', 'gate', 'league')


@dataclass(frozen=True)
class LearnerConfig:
    """How a player learns. The defaults are Rainbow; `dqn()` switches its six parts off."""

    # ---- the six parts of Rainbow, each on its own

    # The online network chooses the next action, the target network values it.
    double: bool = True
    # Values as a mean plus advantages of actions.
    dueling: bool = True
    # Draw what there is more to learn from more often.
    prioritised: bool = True
    # Rewards of this many decisions are added up before a value is estimated [1 to 20]; 0 is 1
    # where the other's decisions are valued (see zero_sum), where more would take for granted what
    # was done in between, and else 2.
    n_step: int = 0
    # A distribution of values on this many points; 1 learns the mean alone [1 to 501]. Three are a
    # loss, a draw and a win: what finer rewards need is in the paper (51).
    atoms: int = 3
    # Explore by noise on the weights, which the network learns to turn down.
    noisy: bool = True

    # ---- values

    # What the value of the next decision counts [0 to 1].
    gamma: float = 1.0
    # The range of values; None takes it from the reward.
    value_low: float | None = None
    value_high: float | None = None

    # ---- properties derived from the rules

    # Learn from mirrored and turned boards, too, where that changes nothing.
    symmetries: bool = True
    # In games of two that take turns for what the other loses: value the other's next decision,
    # from its point of view, instead of one's own next one. Mode `fixed` is about one certain
    # other, and goes from own decision to own decision.
    zero_sum: bool = True
    # There: the share of its moves that the other is taken to make at random [0 to 1]; 0 takes it
    # to play as well as oneself. More is a style: of moves that are as good against a perfect
    # player, the one is preferred that is better against players who err.
    opponent_error: float = 0.0
    # Let the second role see the game as the first one does, where that is the same game.
    one_view: bool = True
    # Learn from the rules which moves win at once, and which let the other win by its reply, of
    # all moves of the positions that are met: so many of them in a step of the optimiser; 0 is
    # never. The network plays without rules all the same.
    advice: int = 0
    # In games that are small enough to be solved (up to 20,000 positions): learn what the moves of
    # so many of their positions are worth in a step of the optimiser; 0 is never.
    exact: int = 0

    # ---- acting

    # Choose among legal actions only. Without, legality must be learned.
    mask_acting: bool = True
    # Take the best of the legal actions for the value of the next decision.
    mask_target: bool = True
    # The share of random actions, falling in a line over this many decisions [0 to 1].
    epsilon_start: float = 1.0
    epsilon_end: float = 0.1
    epsilon_decisions: int = 5_000
    # Lanes explore differently: the first as said, the last by that to the power of 1 plus this.
    epsilon_spread: float = 0.0
    # How strong the noise on the weights is at the start.
    sigma: float = 0.5

    # ---- learning

    # Steps of the optimiser for each transition; may be below 1.
    updates: float = 0.15
    # Transitions in a step of the optimiser.
    batch: int = 512
    learning_rate: float = 2e-3
    # In the second half of training it falls in a line, to this share of it [0 to 1].
    learning_rate_end: float = 0.05
    # Steps of the optimiser between two copies to the target network.
    target_every: int = 100
    # Longer gradients are cut to this length; 0 is never.
    gradient_norm: float = 10.0
    # Transitions that are kept, and that must be there before learning begins.
    capacity: int = 100_000
    warm_up: int = 500
    # How much priorities count [0 to 1], and how much of the bias is taken back at the start; all
    # of it after this many steps of the optimiser.
    priority_exponent: float = 0.5
    priority_correction: float = 0.4
    priority_updates: int = 10_000

    def __post_init__(self) -> None:
        for name in ('atoms', 'batch', 'target_every', 'capacity', 'warm_up'):
            _at_least(self, name, 1)
        for name in ('advice', 'exact'):
            _at_least(self, name, 0)
        for name in ('updates', 'learning_rate'):
            if not getattr(self, name) > 0:
                raise ConfigError(f'{name} must be above 0, not {getattr(self, name)}')
        for name in (
            'gamma',
            'epsilon_start',
            'epsilon_end',
            'priority_exponent',
            'learning_rate_end',
            'opponent_error',
        ):
            _between(self, name, 0, 1)
        _between(self, 'n_step', 0, 20)
        _between(self, 'atoms', 1, 501)
        if self.atoms == 2:
            raise ConfigError('atoms must be 1 (no distribution) or 3 and more, not 2')
        low, high = self.value_low, self.value_high
        if low is not None and high is not None and low >= high:
            raise ConfigError(f'value_low must be below value_high, not {low} and {high}')


@dataclass(frozen=True)
class TrainingConfig:
    """How a run trains players of a game."""

    # ---- what

    game: str = ''
    # The folder of the run below runs/<game>/; '' takes the mode and a number.
    name: str = ''
    # The algorithm: rainbow, dqn, alphazero, mmd or sequence. What `learner` says is changed on
    # top of it.
    algorithm: str = 'rainbow'
    # Whom to learn against: random, fixed:<agent>, selfplay, gate, league, together.
    mode: str = 'selfplay'
    # The role to learn, or `all`.
    role: str = 'all'
    # One network for all roles: yes, no, or auto (yes if what they see tells them apart).
    shared: str = 'auto'
    # Episodes to play.
    episodes: int = 10_000
    # End before that, after this time of training [s]; 0 is never. What is learned then depends on
    # the speed of the machine.
    seconds: float = 0.0
    # End before that, as soon as a snapshot is proved never to lose (in small games).
    until_proved: bool = False
    # Copies of the game, stepped together.
    lanes: int = 32
    # Actors that share the lanes, each a process, here or on a cluster (--actors, --on); 0: the
    # learner plays all lanes itself. What is learned depends on the number of actors, and not on
    # where they are.
    actors: int = 0
    # Decisions in each lane between two policies that actors play by; 0 is 8 for alphazero, 16 for
    # mmd and sequence, 64 for rainbow and dqn.
    actor_ticks: int = 0
    # Decides all chance.
    seed: int = 0
    # The network: a name of the generator, a file, or `search`.
    network: str = 'default'
    # search: episodes that each candidate is trained, how often the best one grows at most, and
    # by how much it must earn more than before for that [mean reward].
    search_episodes: int = 1_000
    search_rounds: int = 4
    search_gain: float = 0.2
    # search: how often each candidate is trained, from other seeds; what each doubling of the
    # weights costs [mean reward]; whether networks may join the best one in an ensemble; and the
    # time for all of it (0 is as long as it takes) [s].
    search_seeds: int = 2
    search_penalty: float = 0.01
    search_ensemble: bool = False
    search_seconds: float = 0.0
    # Threads of PyTorch.
    threads: int = 1
    # `cpu`, what else PyTorch has, or `auto`: an accelerator if there is one.
    device: str = 'auto'

    # ---- the match (see the options of the environment)

    # `goal`, `module:name` or `file.py:name`.
    reward: str = 'goal'
    # What becomes of an illegal answer: end, random or best.
    illegal: str = 'random'
    # Steps after which an episode is broken off; 0 is never (alphazero, mmd, sequence: after
    # 1,000, since what they play waits in memory for the end of its game).
    max_steps: int = 0
    turn: str = 'rotate'
    engine: str = 'auto'
    # From facts to vectors: auto, typed, inferred, `module:Class` or `file.py:Class`.
    mapping: str = 'auto'

    # ---- opponents

    # selfplay: episodes between two copies. league: between two draws of opponents.
    copy_every: int = 200
    # selfplay, gate, league: learn from what opponents do, too. In other modes that would mislead:
    # what they do is answered by the learner, not by one of them.
    watch: bool = True
    # The share of random moves of opponents that are copies [0 to 1].
    opponent_epsilon: float = 0.1
    # selfplay, gate, league: the share of episodes with strangers instead [0 to 1]. Copies show
    # what they like to play, and nothing else. Several take the same share each.
    random_share: float = 0.25
    strangers: str = 'random'
    # gate: episodes between two evaluations, their games per seat, and the score to beat at first.
    gate_every: int = 50
    gate_games: int = 50
    gate_score: float = 0.0
    # league: how many past snapshots play at the same time.
    league_size: int = 4

    # ---- keeping

    # Snapshots of the whole run; difficulty levels are chosen from them.
    snapshots: int = 10
    # Difficulty levels, evenly spaced in Elo, that players of the run are rated for at its end;
    # 0: none are rated, and levels go by the rewards of snapshots. Games of each pair of players.
    levels: int = 10
    level_games: int = 64
    # Whom evaluations are played against: an agent.
    judge: str = 'random'
    # Games per seat of the evaluation of each snapshot, and of the last.
    evaluation_games: int = 200
    final_games: int = 1_000
    # Episodes between two rows of metrics, and between two states to resume from.
    log_every: int = 100
    checkpoint_every: int = 500
    # A program that collects runs gets each row of metrics, too: mlflow, wandb, or '' for none.
    track: str = ''

    # How rainbow and dqn learn, and how each of the others does.
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    alphazero: AlphaZeroConfig = field(default_factory=AlphaZeroConfig)
    mmd: MmdConfig = field(default_factory=MmdConfig)
    sequence: SequenceConfig = field(default_factory=SequenceConfig)

    def __post_init__(self) -> None:
        counts = ('episodes', 'lanes', 'threads', 'copy_every', 'gate_every', 'gate_games')
        more = (
            'search_episodes',
            'search_rounds',
            'search_seeds',
            'league_size',
            'snapshots',
            'level_games',
            'evaluation_games',
            'final_games',
            'log_every',
            'checkpoint_every',
        )
        for name in counts + more:
            _at_least(self, name, 1)
        least = ('seed', 'seconds', 'max_steps', 'levels', 'actors', 'actor_ticks')
        for name in (*least, 'search_penalty', 'search_seconds'):
            _at_least(self, name, 0)
        _between(self, 'opponent_epsilon', 0, 1)
        _between(self, 'random_share', 0, 1)
        _one_of(self, 'algorithm', ALGORITHMS)
        _one_of(self, 'shared', SHARING)
        _one_of(self, 'illegal', ILLEGAL)
        if self.track:
            _one_of(self, 'track', TRACKERS)
        mode, _, detail = self.mode.partition(':')
        if mode not in MODES or bool(detail) != (mode == 'fixed'):
            known = ', '.join(MODES).replace('fixed', 'fixed:<agent>')
            raise ConfigError(f'no mode {self.mode!r}; modes: {known}')


# What an algorithm changes of the defaults.
ALGORITHMS: dict[str, dict[str, object]] = {
    'rainbow': {},
    # Search makes games expensive. It asks a small network, about many positions at a time.
    'alphazero': {'final_games': 200, 'level_games': 16, 'lanes': 128, 'network': 'light'},
    # A batch is played by the same policy: many lanes make it quick.
    'mmd': {
        'lanes': 256,
        'network': 'recurrent',
        'episodes': 200_000,
        'log_every': 2_000,
        'checkpoint_every': 20_000,
    },
    'sequence': {
        'lanes': 256,
        'network': 'lstm',
        'episodes': 200_000,
        'log_every': 2_000,
        'checkpoint_every': 20_000,
    },
    'dqn': {
        'double': False,
        'dueling': False,
        'prioritised': False,
        'n_step': 1,
        'atoms': 1,
        'noisy': False,
    },
}


def _at_least(config: object, name: str, low: int) -> None:
    value = getattr(config, name)
    if value < low:
        raise ConfigError(f'{name} must be {low} or more, not {value}')


def _between(config: object, name: str, low: float, high: float) -> None:
    value = getattr(config, name)
    if not low <= value <= high:
        raise ConfigError(f'{name} must be from {low} to {high}, not {value}')


def _one_of(config: object, name: str, known: Iterable[str]) -> None:
    value = getattr(config, name)
    if value not in known:
        raise ConfigError(f'no {name} {value!r}; known: {", ".join(known)}')
