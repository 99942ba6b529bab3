"""What a recorder has written so far, on disk: one that is restarted continues there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
import json
from pathlib import Path

from gdl_env.errors import RecordingError

_NAME = 'recorder.json'


@dataclass(frozen=True)
class Checkpoint:
    """How far a recording is."""

    # Identifies the launch that records. Only the same one may continue a recording.
    session: str = ''
    # The run of the environment, and its last message that was written.
    run: int = 0
    sequence: int = 0
    missing: int = 0
    games: int = 0
    # Files of JSON lines, and the bytes of each that belong to the messages so far.
    sizes: Mapping[str, int] = field(default_factory=dict)
    # The last ticks that were recorded, as LaneRepeats keeps them: an environment that is killed
    # together with its recorder repeats them.
    recent: Sequence[int] = ()

    def save(self, folder: Path) -> None:
        """Write it; a reader sees all of it or what was there before. Raises OSError."""
        new = folder / f'{_NAME}.new'
        new.write_text(json.dumps(asdict(self)) + '\n', encoding='utf-8')
        new.replace(folder / _NAME)

    @classmethod
    def load(cls, folder: Path) -> Checkpoint | None:
        """Return the checkpoint of a folder, if it has one. Raises RecordingError."""
        path = folder / _NAME
        if not path.exists():
            return None
        try:
            return cls(**json.loads(path.read_text('utf-8')))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise RecordingError(f'{path}: {error}') from error
