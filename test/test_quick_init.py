"""Frozen dataclasses with a quicker `__init__` are what they were."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, replace
import pickle

import pytest

from gdl_env.quick_init import quick_init


@quick_init
@dataclass(frozen=True)
class Point:
    x: int
    y: int = 2
    name: str = ''


def test_a_point() -> None:
    assert Point(1) == Point(1, 2, '') == Point(x=1, y=2)
    assert repr(Point(1, name='a')) == "Point(x=1, y=2, name='a')"
    assert replace(Point(1), y=5) == Point(1, 5)
    assert hash(Point(1)) == hash(Point(1, 2))
    assert pickle.loads(pickle.dumps(Point(3))) == Point(3)
    with pytest.raises(FrozenInstanceError):
        Point(1).x = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match=r'Point.__init__\(\) missing 1 required'):
        Point()  # type: ignore[call-arg]


def test_what_it_cannot_do_is_refused() -> None:
    @dataclass(frozen=True)
    class Listed:
        items: list[int] = field(default_factory=list)

    @dataclass(frozen=True)
    class Prepared:
        def __post_init__(self) -> None: ...

    with pytest.raises(TypeError, match='items'):
        quick_init(Listed)
    with pytest.raises(TypeError, match='__post_init__'):
        quick_init(Prepared)
