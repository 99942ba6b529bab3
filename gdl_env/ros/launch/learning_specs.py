"""The nodes of selfplay that learn, copy and evaluate, each made from the settings of a launch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gdl_env.agent_catalog import choose_agent
from gdl_env.ros.launch.match_specs import AGENT_RESPAWNS, LaunchSettings, env_node, match_node
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.players import AGENT_NODE
from gdl_env.ros.parameters import ParameterValue
from gdl_env.ros.transport.names import topic_part

LEARNER_NODE = 'learner_node'
RUNS = Path('runs')
# A copy explores a little, so that it does not play the same game again and again.
COPY_EPSILON = 0.1
# An actor has no other way to explore.
ACTOR_EPSILON = 0.2
# Ticks by which the matches of actors may be ahead of the learner.
ACTOR_LEAD = 32


def learning_nodes(
    settings: LaunchSettings, learned: tuple[str, ...], copied: tuple[str, ...]
) -> list[NodeSpec]:
    """Return the learner of some roles, its copies on others, and the evaluator, if wanted."""
    run = run_folder(settings)
    nodes = [_learner(settings, run, learned, copied)]
    nodes += [_copy(settings, role) for role in copied]
    if settings.values['evaluate']:
        nodes.append(_evaluator(settings, run))
    return nodes


def actor_nodes(settings: LaunchSettings) -> list[NodeSpec]:
    """Return matches in namespaces of their own, and the learner that listens to all of them.

    One that is killed is restarted or not missed: the learner learns from the others.
    """
    count = int(settings.values['actors'])
    names = [f'actor_{number + 1}' for number in range(count)]
    run = run_folder(settings)
    learner = _learner(settings, run, (), ())
    learner = replace(learner, parameters={**learner.parameters, 'matches': names})
    nodes = [learner]
    if settings.values['evaluate']:
        evaluator = _evaluator(settings, run)
        info = {**evaluator.parameters, 'info': f'{names[0]}/info'}
        nodes.append(replace(evaluator, parameters=info))
    for number, name in enumerate(names):
        nodes += _actor(settings, number, name, -(-int(settings.values['episodes']) // count))
    return nodes


def _actor(settings: LaunchSettings, number: int, name: str, episodes: int) -> list[NodeSpec]:
    """Return one match: an environment, an agent in all roles, and who asks for the games."""
    seed = int(settings.values['seed'])
    values = {
        **settings.values,
        'namespace': f'{settings.namespace}/{name}'.strip('/'),
        'episodes': episodes,
        'seed': seed if seed < 0 else seed + number,
        'result_file': '',
    }
    own = replace(settings, values=values)
    parameters: dict[str, ParameterValue] = {
        'agent': settings.text('algorithm'),
        'roles': list(settings.roles),
        # From the root: an actor is in a namespace of its own.
        'follow': '/'
        + '/'.join(filter(None, [settings.outer_namespace, settings.namespace, 'policy'])),
        'epsilon': ACTOR_EPSILON,
        # What is played before the learner listens would be lost.
        'wait': True,
    }
    actor = own.node(
        AGENT_NODE,
        name,
        parameters=parameters,
        agents=(choose_agent(settings.text('algorithm')),),
        respawn=True,
        max_respawns=AGENT_RESPAWNS,
    )
    environment = env_node(own)
    # Nothing that actors play is lost, however slow the learner is.
    lead = {'learner_lead': ACTOR_LEAD, **environment.parameters}
    environment = replace(environment, parameters=lead)
    return [environment, actor, replace(match_node(own), is_leader=False)]


def run_folder(settings: LaunchSettings) -> Path:
    """Return the folder of the run: as given, or the next free one."""
    if settings.text('run'):
        return Path(settings.text('run')).expanduser().resolve()
    parent = RUNS / settings.game.file_name
    number = 1
    while (path := parent / f'{settings.text("algorithm")}-ros-{number}').exists():
        number += 1
    return path.resolve()


def _learner(
    settings: LaunchSettings, run: Path, learned: tuple[str, ...], copied: tuple[str, ...]
) -> NodeSpec:
    options = [
        f'game={settings.game.stem}',
        f'episodes={settings.values["episodes"]}',
        f'lanes={settings.values["lanes"]}',
        f'algorithm={settings.text("algorithm")}',
        # In words of gdl train: what the learner plays against.
        f'mode={"selfplay" if copied else "together"}',
        *_value_options(settings),
        *filter(None, [settings.text('options')]),
    ]
    if settings.values['evaluate']:
        options.insert(0, f'evaluation_games={settings.values["evaluate"]}')
    parameters: dict[str, ParameterValue] = {
        'detail': ','.join(options),
        'run': str(run),
        'end_with_match': True,
        **settings.parameters(LEARNER_NODE, 'publish_every'),
    }
    if int(settings.values['seed']) >= 0:
        parameters['seed'] = int(settings.values['seed'])
    if learned:
        parameters['roles'] = list(learned)
    if copied:
        # What the copies do is learned from, too: so the learner comes to know their roles.
        parameters['watch'] = list(copied)
    if settings.text('training'):
        parameters['config'] = str(Path(settings.text('training')).expanduser().resolve())
        parameters['trust'] = bool(settings.values['trust'])
    return settings.node(
        LEARNER_NODE,
        LEARNER_NODE,
        parameters=parameters,
        is_leader=True,
        # Killed, it resumes from its run.
        respawn=True,
        max_respawns=AGENT_RESPAWNS,
    )


def _value_options(settings: LaunchSettings) -> list[str]:
    """Return options that a learner which searches has only if they are asked for."""
    mapping = f'mapping={settings.text("mapping")}'
    if settings.text('algorithm') == 'alphazero':
        return [mapping] if 'mapping' not in settings.defaulted else []
    # Small games end before that, once it is proved that no opponent can beat the learner.
    return ['until_proved=true', mapping]


def _copy(settings: LaunchSettings, role: str) -> NodeSpec:
    parameters: dict[str, ParameterValue] = {
        'agent': settings.text('algorithm'),
        'role': role,
        'follow': 'policy',
        'epsilon': COPY_EPSILON,
    }
    return settings.node(
        AGENT_NODE,
        f'{topic_part(role)}_copy',
        parameters=parameters,
        agents=(choose_agent(settings.text('algorithm')),),
        respawn=True,
        max_respawns=AGENT_RESPAWNS,
    )


def _evaluator(settings: LaunchSettings, run: Path) -> NodeSpec:
    parameters: dict[str, ParameterValue] = {
        'folder': str(run / 'evaluation'),
        **settings.parameters('evaluator_node', games='evaluate', mapping='mapping'),
    }
    return settings.node(
        'evaluator_node',
        'evaluator_node',
        parameters=parameters,
        respawn=True,
        max_respawns=AGENT_RESPAWNS,
    )
