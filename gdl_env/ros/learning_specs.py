"""The nodes of selfplay that learn, copy and evaluate, each made from the settings of a launch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gdl_env.ros.executables import PACKAGE, prefixes
from gdl_env.ros.match_specs import AGENT_RESPAWNS, Settings, env_node, match_node
from gdl_env.ros.names import topic_part
from gdl_env.ros.node_spec import NodeSpec, ParameterValue

LEARNER_NODE = 'learner_node'
RUNS = Path('runs')
# A copy explores a little, so that it does not play the same game again and again.
COPY_EPSILON = 0.1
# An actor has no other way to explore.
ACTOR_EPSILON = 0.2


def learning_nodes(
    settings: Settings, learned: tuple[str, ...], copied: tuple[str, ...]
) -> list[NodeSpec]:
    """Return the learner of some roles, its copies on others, and the evaluator, if wanted."""
    run = run_folder(settings)
    nodes = [_learner(settings, run, learned, copied)]
    nodes += [_copy(settings, role) for role in copied]
    if settings.values['evaluate']:
        nodes.append(_evaluator(settings, run))
    return nodes


def actor_nodes(settings: Settings) -> list[NodeSpec]:
    """Return matches in namespaces of their own, and the learner that listens to all of them.

    One that is killed comes back, or is missed by nobody: the learner learns from the others.
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


def _actor(settings: Settings, number: int, name: str, episodes: int) -> list[NodeSpec]:
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
        'roles': list(settings.roles),
        'follow': '/' + '/'.join(filter(None, [settings.namespace, 'policy'])),
        'epsilon': ACTOR_EPSILON,
        # What is played before the learner listens would be lost.
        'wait': True,
    }
    actor = own.node(
        f'{settings.text("algorithm")}_agent',
        name,
        parameters=parameters,
        respawn=True,
        max_respawns=AGENT_RESPAWNS,
    )
    return [env_node(own), actor, replace(match_node(own), is_leader=False)]


def run_folder(settings: Settings) -> Path:
    """Return the folder of the run: as told, or the next one that is free."""
    if settings.text('run'):
        return Path(settings.text('run')).expanduser().resolve()
    parent = RUNS / settings.game.file_name
    number = 1
    while (path := parent / f'{settings.text("algorithm")}-ros-{number}').exists():
        number += 1
    return path.resolve()


def training_file(settings: Settings) -> Path | None:
    """Return the file with options of learning: as told, or the one that comes with the game."""
    if settings.text('training'):
        return Path(settings.text('training')).expanduser().resolve()
    if 'algorithm' not in settings.defaulted:
        # It is about the algorithm that is taken without being asked for.
        return None
    checkout = Path(__file__).resolve().parents[2]
    folders = [checkout] if (checkout / 'package.xml').is_file() else []
    folders += [prefix / 'share' / PACKAGE for prefix in prefixes()]
    name = f'{Path(settings.game.game).stem}.yaml'
    files = [folder / 'config' / 'training' / name for folder in folders]
    return next((file for file in files if file.is_file()), None)


def _learner(
    settings: Settings, run: Path, learned: tuple[str, ...], copied: tuple[str, ...]
) -> NodeSpec:
    options = [
        f'game={settings.game.stem}',
        f'episodes={settings.values["episodes"]}',
        f'lanes={settings.values["lanes"]}',
        f'algorithm={settings.text("algorithm")}',
        # Small games end before that, once it is proved that nobody can win against the learner.
        'until_proved=true',
        # In words of gdl train: what the learner plays against.
        f'mode={"selfplay" if copied else "together"}',
        *filter(None, [settings.text('options')]),
    ]
    if settings.values['evaluate']:
        options.insert(0, f'evaluation_games={settings.values["evaluate"]}')
    parameters: dict[str, ParameterValue] = {
        'detail': ','.join(options),
        'run': str(run),
        'end_with_match': True,
        **settings.parameters(LEARNER_NODE, {'publish_every': 'publish_every'}),
    }
    if learned:
        parameters['roles'] = list(learned)
    if copied:
        # What the copies do is learned from, too: so the learner comes to know their roles.
        parameters['watch'] = list(copied)
    file = training_file(settings)
    if file is not None:
        parameters['config'] = str(file)
    return settings.node(LEARNER_NODE, LEARNER_NODE, parameters=parameters, is_leader=True)


def _copy(settings: Settings, role: str) -> NodeSpec:
    parameters: dict[str, ParameterValue] = {
        'role': role,
        'follow': 'policy',
        'epsilon': COPY_EPSILON,
    }
    return settings.node(
        f'{settings.text("algorithm")}_agent',
        f'{topic_part(role)}_copy',
        parameters=parameters,
        respawn=True,
        max_respawns=AGENT_RESPAWNS,
    )


def _evaluator(settings: Settings, run: Path) -> NodeSpec:
    parameters: dict[str, ParameterValue] = {
        'folder': str(run / 'evaluation'),
        **settings.parameters('evaluator_node', {'games': 'evaluate'}),
    }
    return settings.node(
        'evaluator_node',
        'evaluator_node',
        parameters=parameters,
        respawn=True,
        max_respawns=AGENT_RESPAWNS,
    )
