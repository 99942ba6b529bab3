"""Layouts of other programs: what they show exists."""

from __future__ import annotations

import ast
from collections.abc import Iterator
import json
from pathlib import Path
import re
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

pytestmark = pytest.mark.ros

messages = pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_env.ros.parameters import BOARD  # noqa: E402
from gdl_env.ros.transport import names  # noqa: E402

CONFIG = Path(__file__).parents[2] / 'config'
# Messages by topic: those whose fields are plotted.
PLOTTED = {names.STATUS: 'Status', names.EVALUATION: 'Evaluation'}


def check_field(text: str) -> None:
    """Check that `/topic/field` or `/topic.field` is there, and is a number."""
    topic, _, field = text.removeprefix('/').replace('.', '/').partition('/')
    kind = getattr(messages, PLOTTED[topic]).get_fields_and_field_types()[field]
    assert re.fullmatch(r'u?int\d+|float|double', kind), (text, kind)


def find_all(tree: Any, key: str) -> Iterator[Any]:
    """Yield every value of a key, however deep."""
    for name, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if name == key:
            yield value
        if isinstance(value, (dict, list)):
            yield from find_all(value, key)


def test_rviz() -> None:
    manager = yaml.safe_load((CONFIG / 'match.rviz').read_text('utf-8'))['Visualization Manager']
    (topic,) = (d['Topic'] for d in manager['Displays'] if d['Class'].endswith('/MarkerArray'))
    assert topic['Value'] == f'/{names.BOARD}'
    # A board is published once, and kept.
    assert topic['Durability Policy'] == 'Transient Local'
    # The frame of the board is found from its parent, by /tf_static.
    assert manager['Global Options']['Fixed Frame'] == BOARD['parent_frame_id'].value
    assert manager['Views']['Current']['Target Frame'] == BOARD['frame_id'].value


def test_foxglove() -> None:
    tree = json.loads((CONFIG / 'match.foxglove.json').read_text('utf-8'))
    panels = set(tree['configById'])
    used = {v for key in ('first', 'second') for v in find_all(tree['layout'], key)
            if isinstance(v, str)}  # fmt: skip
    assert used == panels
    scene = tree['configById']['3D!board']
    assert list(scene['topics']) == [f'/{names.BOARD}']
    assert scene['fixedFrame'] == BOARD['parent_frame_id'].value
    assert scene['followTf'] == BOARD['frame_id'].value
    assert list(scene['transforms']) == [f'frame:{BOARD["frame_id"].value}']
    for path in find_all(tree['configById'], 'value'):
        check_field(path)


def test_plotjuggler() -> None:
    root = ElementTree.parse(CONFIG / 'match.plotjuggler.xml').getroot()
    curves = [curve.attrib['name'] for curve in root.iter('curve')]
    assert curves
    for curve in curves:
        check_field(curve)


def test_rqt() -> None:
    tree = json.loads((CONFIG / 'match.perspective').read_text('utf-8'))
    (topics,) = find_all(tree, 'topics')
    for topic in ast.literal_eval(topics['repr']):
        check_field(topic)
