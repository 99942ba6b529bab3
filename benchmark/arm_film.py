"""A game of the simulated arm as a film, with what the camera says of it below the picture."""

from __future__ import annotations

from pathlib import Path

from arm_game import ArmGame, Disturbances
from PIL import Image, ImageDraw, ImageEnhance, ImageFont

from gdl_env.engine.contract import NATURE, Moves, State
from gdl_env.robot.arranger import MotionStage
from gdl_env.robot.perception import Recognition
from gdl_env.robot.physics.table_camera import PictureNoise

SIZE = (400, 300)
# Below the picture, for a sentence or two.
CAPTION = 44
# Seconds on the table from picture to picture; each is shown for so many milliseconds.
STEP, PAUSE, END = 0.3, 90, 2500
COLOURS = 64
INK, PAPER = (18, 49, 59), (255, 255, 255)


class FilmedGame(ArmGame):
    """Takes a picture from the side every now and then."""

    def __init__(self, name: str, seed: int) -> None:
        super().__init__(name, seed, PictureNoise(), Disturbances(), (640, 480))
        self.frames: list[Image.Image] = []
        self.caption = ''
        self._next = 0.0
        self.table.world.on_step = self.film
        # The hand makes a mistake in its first turn.
        self.trouble.blunders = 1.0

    def film(self) -> None:
        """Take a picture, if it is time."""
        if self.table.world.time < self._next:
            return
        self._next = self.table.world.time + STEP
        picture = Image.fromarray(self.camera.take_clean('onlooker')).resize(SIZE)
        picture = ImageEnhance.Brightness(picture).enhance(1.4)
        frame = Image.new('RGB', (SIZE[0], SIZE[1] + CAPTION), PAPER)
        frame.paste(picture)
        draw = ImageDraw.Draw(frame)
        draw.text((8, SIZE[1] + 5), wrap(self.caption, 62), INK, ImageFont.load_default(12))
        self.frames.append(frame)

    def play_by_arm(self, moves: Moves, after: State, is_knocked: bool = False) -> bool:
        self.caption = f'arm: {self.describe(moves)}'
        return super().play_by_arm(moves, after, is_knocked)

    def show_stage(self, stage: MotionStage) -> None:
        self.film()

    def play_by_hand(self, moves: Moves, after: State) -> bool:
        self.caption = 'hand'
        is_played = super().play_by_hand(moves, after)
        self.trouble.blunders = 0.0
        return is_played

    def recognise(self) -> Recognition:
        found = super().recognise()
        seen = {role: move for role, move in found.moves.items() if role != str(NATURE)}
        said = self.reader.describe(seen) if seen else ''
        self.caption = f'camera: {found.advice or said}'
        # Long enough to be read.
        self.table.world.advance(1.2 if found.advice else 0.4)
        return found

    def describe(self, moves: Moves) -> str:
        """Return moves in words."""
        return self.reader.describe({str(role): str(move) for role, move in moves.items()})


def film_game(name: str, seed: int) -> list[Image.Image]:
    """Play a game and return its pictures."""
    game = FilmedGame(name, seed)
    game.play(most=60)
    game.table.world.advance(STEP)
    game.close()
    return game.frames


def save_film(frames: list[Image.Image], path: Path) -> int:
    """Write a film that repeats; return how many pictures it has. All share their colours."""
    palette = frames[len(frames) // 2].quantize(COLOURS)
    first, *others = [
        frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames
    ]
    pauses = [PAUSE] * len(others) + [END]
    first.save(path, save_all=True, append_images=others, duration=pauses, loop=0, optimize=True)
    return len(frames)


def wrap(text: str, width: int) -> str:
    """Break a text into two lines at most."""
    if len(text) <= width:
        return text
    cut = text.rfind(' ', 0, width)
    return f'{text[:cut]}\n{text[cut + 1 :]}'
