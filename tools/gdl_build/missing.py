"""Print what the project requires and no installed package provides, a line each, for pip.

`python -m gdl_build.missing dev rl` includes those extras. Walks through the metadata of what is
installed, so that pip need not resolve anything where all is well.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
import sys

# packaging itself is one of the packages that may be missing; pip brings its own.
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name

# An old lark, which ROS 2 from PyPI asks for: lark takes its place.
REPLACED = {'lark-parser'}


def missing_requirements(extras: list[str]) -> list[str]:
    """Return the requirements that are not met; what those require in turn is not known yet."""
    found: dict[str, None] = {}
    seen: set[str] = set()
    waiting = list(_requirements_of('gdl_env', {'', *extras}))
    while waiting:
        requirement = waiting.pop()
        wanted = str(requirement)
        if wanted in seen or canonicalize_name(requirement.name) in REPLACED:
            continue
        seen.add(wanted)
        try:
            version = distribution(requirement.name).version
        except PackageNotFoundError:
            version = ''
        if version and requirement.specifier.contains(version, prereleases=True):
            waiting += _requirements_of(requirement.name, {'', *requirement.extras})
        else:
            requirement.marker = None
            found[str(requirement)] = None
    return sorted(found)


def _requirements_of(name: str, extras: set[str]) -> Iterator[Requirement]:
    """Yield what an installed package requires here, with some of its extras."""
    for text in distribution(name).requires or []:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({'extra': extra}) for extra in extras):
            yield requirement


if __name__ == '__main__':
    print('\n'.join(missing_requirements(sys.argv[1:])))
