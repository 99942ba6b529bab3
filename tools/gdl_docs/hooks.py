"""Hooks of MkDocs (mkdocs.yml): fill in generated parts, resolve links that leave doc/."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
import re
import sys
from typing import Any

# MkDocs loads this file by its path.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gdl_docs.command_line import describe_verbs
from gdl_docs.interfaces import describe_interfaces
from gdl_docs.outside_links import replace_outside_links

ROOT = Path(__file__).resolve().parents[2]

# A page says where its generated part goes: <!-- generated: NAME -->
GENERATORS: dict[str, Callable[[], str]] = {
    'command line': describe_verbs,
    'messages': partial(describe_interfaces, ROOT / 'msg'),
}
_MARK = re.compile(r'^<!-- generated: ([\w ]+) -->$', re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    """Return the page with what is generated, and without links that only a checkout has."""
    filled = _MARK.sub(lambda found: GENERATORS[found[1]](), markdown)
    return replace_outside_links(filled, ROOT / 'doc' / page.file.src_uri, ROOT)
