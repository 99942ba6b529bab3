"""One name, one meaning: no two public classes of the product share a name."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_public_classes_have_names_of_their_own():
    places = defaultdict(list)
    for package in ('gdl_env', 'gdl_agents'):
        for path in sorted((ROOT / package).rglob('*.py')):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef) and not node.name.startswith('_'):
                    places[node.name].append(str(path.relative_to(ROOT)))
    assert len(places) > 500
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
