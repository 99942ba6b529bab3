"""Links of documentation pages to files of the checkout that are no part of the site."""

from __future__ import annotations

import logging
from pathlib import Path
import re

_LINK = re.compile(r'(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)]*)?\)')
_FENCE = re.compile(r'(^```.*?^```$)', re.MULTILINE | re.DOTALL)
_LOG = logging.getLogger('mkdocs.plugins.gdl_docs')


def replace_outside_links(markdown: str, page: Path, root: Path) -> str:
    """Name files outside doc/ instead of linking to them; warn about those that do not exist."""

    def replace(found: re.Match[str]) -> str:
        text, target = found[1], found[2]
        if '://' in target or target.startswith('mailto:'):
            return found[0]
        path = (page.parent / target).resolve()
        if path.is_relative_to(root / 'doc'):
            return found[0]
        if not path.exists():
            _LOG.warning('%s: no such file: %s', page.relative_to(root), target)
            return found[0]
        name = str(path.relative_to(root))
        return f'`{name}`' if text.strip('`') in (name, path.name) else f'{text} (`{name}`)'

    parts = _FENCE.split(markdown)
    # Every second part is a block of code.
    parts[::2] = [_LINK.sub(replace, part) for part in parts[::2]]
    return ''.join(parts)
