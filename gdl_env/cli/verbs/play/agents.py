"""List the agents that are known by name, with the package that each comes from.

Any installed package can register agents, with one entry point each in the group gdl_env.agents.
Your own class needs no name: write file.py:Class or module.path:Class wherever a command expects
an agent. See doc/agents.md.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from dataclasses import asdict, dataclass
import json
from pathlib import Path
import re
from typing import TYPE_CHECKING

from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, Verb

if TYPE_CHECKING:
    from gdl_env.agent_catalog import RegisteredAgent

# A requirement that an extra brings, without any other condition.
_OF_EXTRA = re.compile(r'([\w.-]+)[^;]*;\s*extra\s*==\s*[\'"]([\w.-]+)[\'"]\s*')


@dataclass(frozen=True)
class _Row:
    """What the list says about one agent."""

    name: str
    package: str
    place: str
    summary: str
    # Why it cannot be used; empty: it can.
    problem: str


class _PlaceError(Exception):
    """The class of an agent cannot be found."""


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('--json', action='store_true', help='print a JSON list')
    parser.add_argument('--places', action='store_true', help='also show the classes')


def run(options: Namespace) -> int:
    """Print the list."""
    from gdl_env.agent_catalog import list_agents

    agents = list_agents()
    count = Counter(agent.name for agent in agents)
    rows = [_describe(agent, is_unique=count[agent.name] == 1) for agent in agents]
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False))
        return 0
    if not rows:
        print('no installed package registers an agent, not even gdl_env: install it again')
        return 0
    headers = ['agent', 'package', 'ready', 'what it does', *(['class'] * options.places)]
    print_table(
        headers,
        (
            [row.name, row.package, row.problem or 'yes', row.summary]
            + ([row.place] if options.places else [])
            for row in rows
        ),
    )
    return 0


def _describe(agent: RegisteredAgent, *, is_unique: bool) -> _Row:
    summary, problem = '', ''
    try:
        summary = _summarize(agent.place)
    except _PlaceError as error:
        problem = f'no: {error}'
    problem = problem or _explain_missing(agent)
    if not is_unique:
        problem = 'no: registered more than once'
    return _Row(agent.name, agent.distribution, agent.place, summary, problem)


def _summarize(place: str) -> str:
    """Return the first line that describes a class, from its source: importing takes seconds."""
    import ast
    from importlib.util import find_spec

    module_name, _, class_name = place.rpartition(':')
    try:
        spec = find_spec(module_name) if module_name else None
    # The package around the module is imported, and may raise whatever it likes.
    except Exception as error:
        raise _PlaceError(f'{module_name}: {type(error).__name__}: {error}') from error
    if spec is None or spec.origin is None:
        raise _PlaceError(f'there is no module {module_name or place!r}')
    try:
        tree = ast.parse(Path(spec.origin).read_bytes())
    except (OSError, SyntaxError, ValueError):
        # Compiled, or broken: loading it will tell.
        return ''
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            return (ast.get_docstring(node) or '').partition('\n')[0]
    return ''


def _explain_missing(agent: RegisteredAgent) -> str:
    """Return what an agent needs that is not installed, and how to install it."""
    from importlib import metadata

    from gdl_env.requirements import is_installed

    for package in agent.packages:
        if not is_installed(package):
            return f'no: needs {package.title}: {package.remedy}'
    if agent.packages:
        return ''
    # Of other packages there is only what their metadata say.
    owner = agent.distribution.partition(' ')[0]
    found = [_OF_EXTRA.fullmatch(line) for line in metadata.requires(owner) or []]
    missing = [m[1] for m in found if m and m[2] in agent.extras and _is_absent(m[1])]
    if not missing:
        return ''
    return f"no: needs {', '.join(missing)}: pip install '{owner}[{','.join(agent.extras)}]'"


def _is_absent(package: str) -> bool:
    from importlib import metadata

    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return True
    return False


VERB = Verb(
    name='agents',
    group=Group.PLAY,
    summary='list the agents that are known by name',
    description=__doc__,
    examples="""
    gdl agents                          all agents, and whether they can play here
    gdl agents --places                 with the classes behind the names
    """,
    configure=configure,
    run=run,
)
