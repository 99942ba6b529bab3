"""What team-mates say to each other, others do not hear."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from graph import Graph  # noqa: E402

RULES = """
(role a) (role b) (role c) (role d)
(init (step 1))
(next_number 1 2) (next_number 2 3) (next_number 3 4) (next_number 4 5)
(<= (legal ?r left) (role ?r))
(<= (legal ?r right) (role ?r))
(<= (next (step ?n)) (true (step ?m)) (next_number ?m ?n))
(<= terminal (true (step 5)))
(<= (goal ?r 50) (role ?r))
"""

AGENT = """
from pathlib import Path

from gdl_agents.players.legal import LegalAgent


class Talker(LegalAgent):
    def begin(self, info, roles, seed):
        self.role = roles[0]

    def choose(self, question):
        self.tell(question.role, f'{question.role} at {question.tick}', b'secret')
        return super().choose(question)

    def hear(self, team, role, text, data):
        with Path(FOLDER, f'{self.role}.txt').open('a') as stream:
            stream.write(f'{team} {role}: {text} {data.decode()}\\n')
"""


def test_only_team_mates_hear(graph: Graph) -> None:
    rules = graph.folder / 'four.gdl'
    rules.write_text(RULES)
    code = graph.folder / 'talker.py'
    code.write_text(AGENT.replace('FOLDER', repr(str(graph.folder))))
    graph.environment(str(rules), teams=['one: a c', 'two: b d'])
    for role in 'abcd':
        graph.start('random_agent', node=role, role=role, agent=f'{code}:Talker')
    graph.play(20)
    heard = {role: (graph.folder / f'{role}.txt').read_text().splitlines() for role in 'abcd'}
    for role, mate, team in (('a', 'c', 'one'), ('c', 'a', 'one'), ('b', 'd', 'two')):
        assert len(heard[role]) > 10
        assert all(line.startswith(f'{team} {mate}: {mate} at ') for line in heard[role])
        assert all(line.endswith(' secret') for line in heard[role])
