"""Write one example of every message of gdl_msgs: its values, and the bytes it travels as.

    .venv/bin/python tools/message_fixtures.py            writes msg/fixtures

Programs in other languages can check their own reading and writing with them. The bytes are made
here, by the rules of CDR, and not by the middleware, which leaves rubbish in the gaps between
fields; a test compares the two.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
import re
import struct
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / 'msg' / 'fixtures'
# Plain CDR, least significant byte first.
HEADER = b'\x00\x01\x00\x00'
NUMBERS = {
    'boolean': '?',
    'octet': 'B',
    'uint8': 'B',
    'int8': 'b',
    'uint16': 'H',
    'int16': 'h',
    'uint32': 'I',
    'int32': 'i',
    'uint64': 'Q',
    'int64': 'q',
    'float': 'f',
    'double': 'd',
}
SEQUENCE = re.compile(r'sequence<(.+)>')
# Entries of every list: an odd number, so that there are gaps.
ENTRIES = 3


def message_names() -> list[str]:
    """Return the names of all messages."""
    return sorted(path.stem for path in (ROOT / 'msg' / 'msg').glob('*.msg'))


def message_class(kind: str) -> Any:
    """Return the class of `package/Name`."""
    package, name = kind.split('/')
    return getattr(importlib.import_module(f'{package}.msg'), name)


class Example:
    """Makes values, all of them different, so that no two fields can be mistaken."""

    def __init__(self) -> None:
        self._count = 0

    def message(self, kind: str) -> dict[str, Any]:
        """Return values for all fields of a message."""
        fields = message_class(kind).get_fields_and_field_types()
        return {name: self.value(field, name) for name, field in fields.items()}

    def value(self, kind: str, name: str) -> Any:
        """Return a value for a field of that type and name."""
        if found := SEQUENCE.fullmatch(kind):
            return [self.value(found[1], name) for _ in range(ENTRIES)]
        if '/' in kind:
            return self.message(kind)
        self._count += 1
        if kind == 'string':
            # With a letter that takes two bytes.
            return f'{name} {self._count} ä'
        if kind == 'boolean':
            return bool(self._count % 2)
        if kind in ('float', 'double'):
            return self._count + 0.5
        bits = 8 * struct.calcsize(NUMBERS[kind])
        # Larger than half of its range where that can be, to tell signed from unsigned.
        if kind.startswith('u') or kind == 'octet':
            return 2 ** (bits - 1) + self._count
        return -self._count


class Writer:
    """Writes values as CDR does; `gaps` are the places of bytes without a meaning."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.gaps: set[int] = set()

    def message(self, kind: str, values: dict[str, Any]) -> None:
        """Write all fields of a message."""
        fields = message_class(kind).get_fields_and_field_types()
        for name, field in fields.items():
            self.value(field, values[name])

    def value(self, kind: str, value: Any) -> None:
        """Write one value."""
        if found := SEQUENCE.fullmatch(kind):
            self._number('I', len(value))
            for entry in value:
                self.value(found[1], entry)
        elif '/' in kind:
            self.message(kind, value)
        elif kind == 'string':
            text = value.encode() + b'\x00'
            self._number('I', len(text))
            self.data += text
        else:
            self._number(NUMBERS[kind], value)

    def _number(self, code: str, value: Any) -> None:
        size = struct.calcsize(code)
        while len(self.data) % size:
            self.gaps.add(len(self.data))
            self.data.append(0)
        self.data += struct.pack(f'<{code}', value)


def make_fixture(name: str) -> tuple[dict[str, Any], bytes, set[int]]:
    """Return the values of an example, its bytes, and the places of bytes without a meaning."""
    kind = f'gdl_msgs/{name}'
    values = Example().message(kind)
    writer = Writer()
    writer.message(kind, values)
    return values, HEADER + bytes(writer.data), {len(HEADER) + gap for gap in writer.gaps}


def to_message(kind: str, values: dict[str, Any]) -> Any:
    """Return a message with these values."""
    message = message_class(kind)()
    for name, field in message.get_fields_and_field_types().items():
        found = SEQUENCE.fullmatch(field)
        value = values[name]
        if found and '/' in found[1]:
            value = [to_message(found[1], entry) for entry in value]
        elif '/' in field:
            value = to_message(field, value)
        setattr(message, name, value)
    return message


def main() -> None:
    """Write all fixtures, and delete those of messages that are gone."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob('*.*'):
        if path.suffix in ('.json', '.cdr') and path.stem not in message_names():
            path.unlink()
    for name in message_names():
        values, data, _ = make_fixture(name)
        text = json.dumps(values, ensure_ascii=False, indent=2) + '\n'
        (FOLDER / f'{name}.json').write_text(text, encoding='utf-8')
        (FOLDER / f'{name}.cdr').write_bytes(data)


if __name__ == '__main__':
    main()
