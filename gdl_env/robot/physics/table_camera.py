"""The camera above the table with physics: pictures with the noise of a real one."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from gdl_env.robot.physics.world import World


@dataclass(frozen=True)
class PictureNoise:
    """How bad pictures are."""

    # Of each pixel, standard deviation [grey levels of 255].
    pixels: float = 4.0
    # How much brighter or darker a picture may be than the one before [share].
    light: float = 0.05


class TableCamera:
    """Takes pictures of a world. All of its methods belong to one thread."""

    def __init__(self, world: World, noise: PictureNoise | None = None, seed: int = 0) -> None:
        self._world = world
        self._noise = noise or PictureNoise()
        self._random = np.random.default_rng(seed)
        camera = world.layout.camera
        self._renderer = mujoco.Renderer(world.model, camera.height, camera.width)

    def take(self, name: str = 'camera') -> NDArray[np.uint8]:
        """Return a picture, RGB, with noise."""
        picture = self.take_clean(name).astype(np.float32)
        picture *= 1 + self._random.uniform(-self._noise.light, self._noise.light)
        if self._noise.pixels:
            picture += self._noise.pixels * self._random.standard_normal(
                picture.shape, dtype=np.float32
            )
        return np.clip(picture, 0, 255).astype(np.uint8)

    def take_clean(self, name: str = 'camera') -> NDArray[np.uint8]:
        """Return a picture without noise."""
        with self._world.lock:
            self._renderer.update_scene(self._world.data, name)
        return np.asarray(self._renderer.render())

    def close(self) -> None:
        """Release the renderer."""
        self._renderer.close()
