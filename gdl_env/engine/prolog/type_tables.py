"""The types of a game as Prolog facts: templates and the values at their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gdl_env.engine.mapping.domain import Domain
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.template import Shape, Template
from gdl_env.engine.mapping.typed import TypedEncoding
from gdl_env.engine.prolog.syntax import apply, atom
from gdl_env.language.game import Game
from gdl_env.language.terms import Compound, Number, Symbol, Term, args_of

_PREDICATES = ('template/6', 'domain/3', 'domain_value/3', 'domain_map/2')


def type_tables(game: Game) -> str:
    """Return the facts that `types.pl` asks for; none where the game has no types."""
    lines = ['%% Types\n', f':- dynamic {", ".join(_PREDICATES)}.']
    if game.is_typed:
        try:
            encoding = TypedEncoding(game)
        except EncodingError as error:
            lines.append(f'% {" ".join(str(error).split())}')
        else:
            lines += _Tables().facts(encoding)
    return '\n'.join(lines) + '\n'


@dataclass
class _Tables:
    """Numbers domains: many templates have the same ones."""

    _domains: dict[tuple[tuple[Term, ...], tuple[str, ...]], int] = field(default_factory=dict)

    def facts(self, encoding: TypedEncoding) -> Iterator[str]:
        """Yield the facts of all templates, and then those of their domains."""
        kinds = {
            'state': encoding.state.merged,
            'observation': encoding.observation.merged,
            'action': encoding.action.merged,
        }
        for kind, templates in kinds.items():
            start = 0
            for template in templates:
                yield self._template(kind, start, template)
                start += template.size
        for (values, maps), number in self._domains.items():
            yield from _domain(number, values, maps)

    def _template(self, kind: str, start: int, template: Template) -> str:
        names = [f'V{place}' for place in range(len(template.domains))]
        pattern = _pattern(template.shape, iter(names))
        places = ', '.join(
            f'{name}-{self._number(domain)}'
            for name, domain in zip(names, template.domains, strict=True)
        )
        label = atom(str(template))
        return f'template({kind}, {label}, {start}, {template.size}, {pattern}, [{places}]).'

    def _number(self, domain: Domain) -> int:
        return self._domains.setdefault((domain.values, domain.maps), len(self._domains))


def _domain(number: int, values: tuple[Term, ...], maps: tuple[str, ...]) -> Iterator[str]:
    numbers = [value.value for value in values if isinstance(value, Number)]
    if numbers and numbers == list(range(numbers[0], numbers[0] + len(values))):
        yield f'domain({number}, {len(values)}, range({numbers[0]}, {numbers[-1]})).'
    else:
        yield f'domain({number}, {len(values)}, listed).'
        for index, value in enumerate(values):
            yield f'domain_value({number}, {index}, {_term(value)}).'
    yield from (f'domain_map({number}, {atom(name)}).' for name in maps)


def _pattern(shape: Shape, names: Iterator[str]) -> str:
    if shape is None:
        return next(names)
    name, parts = shape
    return apply(name, [_pattern(part, names) for part in parts])


def _term(term: Term) -> str:
    if isinstance(term, Number):
        return str(term.value)
    assert isinstance(term, Symbol | Compound), 'a value is ground'
    return apply(term.name, [_term(arg) for arg in args_of(term)])
