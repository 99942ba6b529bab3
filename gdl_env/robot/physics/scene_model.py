"""Everything on and around the table as a MuJoCo model, in the frame of the board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import cos, pi, sin

import cv2
import mujoco
import numpy as np

from gdl_env.robot.physics.arm_model import arm_body, arm_parts
from gdl_env.robot.physics.board_print import BoardPrint
from gdl_env.robot.physics.piece_faces import SIZE, Picture, draw_faces, parse_colour
from gdl_env.robot.physics.piece_kinds import PieceKind
from gdl_env.robot.physics.table_layout import TableLayout
from gdl_env.robot.robot_setup import Geometry

# Seconds of a step.
STEP = 0.002
# Wood [kg/m3].
_DENSITY = 600
# Corners of a round piece as it is drawn.
_CORNERS = 28
_HAND = 'rgba="0.91 0.72 0.58 1"'


def piece_names(kinds: Iterable[PieceKind]) -> list[tuple[str, PieceKind]]:
    """Return the names of all bodies of pieces, each with its kind."""
    return [
        (f'piece_{number}_{copy}', kind)
        for number, kind in enumerate(kinds)
        for copy in range(kind.count)
    ]


def build_model(
    geometry: Geometry, layout: TableLayout, kinds: Sequence[PieceKind]
) -> mujoco.MjModel:
    """Return the model; pieces stand in store."""
    files: dict[str, bytes] = {}
    edges = layout.left, layout.right, layout.bottom, layout.top
    files['board.png'] = _png(BoardPrint(geometry, *edges).draw())
    labels = geometry.reader.pieces
    faces = draw_faces(geometry.reader.picture(label) for label in labels)
    assets = ''.join(
        _piece_assets(number, kind, faces, geometry, files) for number, kind in enumerate(kinds)
    )
    camera = layout.camera
    middle = (layout.left + layout.right) / 2, (layout.bottom + layout.top) / 2
    xml = f"""
<mujoco model="gdl_table">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="{STEP}" cone="elliptic" impratio="10" integrator="implicitfast"
          gravity="{_numbers(_gravity(geometry))}">
    <flag multiccd="enable" sleep="enable"/>
  </option>
  <size memory="64M"/>
  <statistic extent="1"/>
  <visual>
    <global offwidth="{max(1280, camera.width)}" offheight="{max(960, camera.height)}"/>
    <headlight ambient="0.45 0.45 0.45" diffuse="0.45 0.45 0.45" specular="0 0 0"/>
    <map znear="0.01" zfar="30"/>
    <quality shadowsize="0"/>
  </visual>
  <asset>
    <texture name="board" type="2d" file="board.png"/>
    <material name="board" texture="board" specular="0"/>
    {assets}
  </asset>
  <default>
    <default class="piece">
      <geom type="cylinder" density="{_DENSITY}" condim="6" friction="0.6 0.004 0.0004"
            group="3"/>
    </default>
    <default class="looks">
      <geom type="mesh" contype="0" conaffinity="0" mass="0" group="1"/>
    </default>
  </default>
  <worldbody>
    <light pos="{middle[0]} {middle[1] - 1} {camera.z}" dir="0 0.5 -1" castshadow="false"
           diffuse="0.35 0.35 0.35" specular="0 0 0"/>
    <geom name="table" type="box" size="20 20 0.1" pos="0 0 {layout.surface - 0.1}"
          condim="6" friction="0.6 0.004 0.0004" rgba="0.72 0.68 0.62 1"/>
    <geom name="board" type="plane" material="board" contype="0" conaffinity="0"
          size="{(edges[1] - edges[0]) / 2} {(edges[3] - edges[2]) / 2} 0.1"
          pos="{middle[0]} {middle[1]} {layout.surface + 0.0004}"/>
    <camera name="camera" pos="{camera.x} {camera.y} {camera.z}" fovy="{camera.view}"/>
    <camera name="onlooker" mode="targetbody" target="aim" fovy="40"
            pos="{_numbers(_onlooker(layout))}"/>
    <body name="aim" pos="{middle[0]} {(layout.bottom + layout.base[1]) / 2}
          {layout.surface + 0.7 * layout.shoulder}"/>
    {arm_body(layout)}
    {_hand(layout)}
    {''.join(_pieces(layout, kinds))}
  </worldbody>
  {arm_parts(layout)}
  <equality>
    <weld name="grip" body1="hand" body2="{piece_names(kinds)[0][0]}" active="false"/>
  </equality>
</mujoco>"""
    return mujoco.MjModel.from_xml_string(xml, files)


def _onlooker(layout: TableLayout) -> tuple[float, float, float]:
    """Return the place of a viewer of board and arm."""
    wide, deep = layout.right - layout.left, layout.base[1] - layout.bottom
    size = max(wide, deep, layout.shoulder + layout.link)
    x, y = (layout.left + layout.right) / 2, (layout.bottom + layout.base[1]) / 2
    return x + 0.75 * size, y - 1.5 * size, layout.surface + 1.2 * size


def _gravity(geometry: Geometry) -> tuple[float, float, float]:
    """Return where down is for a board that is not level."""
    pose = geometry.setup.pose
    g, (cr, sr), (cp, sp) = (
        9.81,
        (cos(pose.roll), sin(pose.roll)),
        (cos(pose.pitch), sin(pose.pitch)),
    )
    return g * sp, -g * sr * cp, -g * cr * cp


def _pieces(layout: TableLayout, kinds: Sequence[PieceKind]) -> Iterator[str]:
    for number, (name, kind) in enumerate(piece_names(kinds)):
        x, y, z = layout.stored(number)
        half, radius = kind.shape.height / 2, kind.shape.width / 2
        look = name.rpartition('_')[0]
        yield (
            f'<body name="{name}" pos="{x} {y} {z + half}" sleep="init"><freejoint/>'
            f'<geom class="piece" size="{radius} {half}"/>'
            f'<geom class="looks" mesh="{look}" material="{look}"/></body>'
        )


def _hand(layout: TableLayout) -> str:
    """Return a person's hand: two fingers that hold a piece, and what hangs on them."""
    s = layout.scale
    parts = [
        f'<geom name="finger_tip" type="capsule" size="{0.008 * s}"'
        f' fromto="0 0 {0.02 * s} 0 {-0.02 * s} {0.09 * s}" {_HAND}/>',
        f'<geom type="capsule" size="{0.008 * s}" fromto="{0.012 * s} {-0.01 * s} {0.025 * s}'
        f' {0.02 * s} {-0.03 * s} {0.09 * s}" {_HAND} contype="0" conaffinity="0"/>',
        f'<geom type="ellipsoid" size="{0.035 * s} {0.05 * s} {0.02 * s}"'
        f' pos="{0.01 * s} {-0.055 * s} {0.1 * s}" {_HAND} contype="0" conaffinity="0"/>',
        f'<geom type="capsule" size="{0.025 * s}" fromto="{0.01 * s} {-0.09 * s} {0.1 * s}'
        f' {0.01 * s} {-0.4 * s} {0.16 * s}" rgba="0.25 0.33 0.5 1" contype="0" conaffinity="0"/>',
    ]
    x, y, z = hand_home(layout)
    return f'<body name="hand" mocap="true" pos="{x} {y} {z}">{"".join(parts)}</body>'


def hand_home(layout: TableLayout) -> tuple[float, float, float]:
    """Return where the hand rests, out of the camera's view."""
    _, y, z = layout.stored(0)
    return (layout.left + layout.right) / 2, y + 0.15, z + 0.3


def _piece_assets(
    number: int,
    kind: PieceKind,
    faces: Mapping[str, Picture],
    geometry: Geometry,
    files: dict[str, bytes],
) -> str:
    """Return texture, material and mesh of a kind: top, bottom and side side by side."""
    name = f'piece_{number}'
    picture = geometry.reader.picture(kind.name)
    side = parse_colour(picture.fill)
    top = faces[kind.name]
    below = faces[kind.below] if kind.below else np.full_like(top, (120, 96, 66))
    band = np.full_like(top, side)
    if kind.below:
        # The half of a disc that is up is as its top.
        band[SIZE // 2 :] = parse_colour(geometry.reader.picture(kind.below).fill)
    files[f'{name}.png'] = _png(np.hstack([top, below, band]))
    vertices, texture, triangles = _cylinder(kind.shape.width / 2, kind.shape.height / 2)
    return (
        f'<texture name="{name}" type="2d" file="{name}.png"/>'
        f'<material name="{name}" texture="{name}" specular="0.1" shininess="0.1"/>'
        f'<mesh name="{name}" vertex="{_numbers(vertices)}" texcoord="{_numbers(texture)}"'
        f' face="{_numbers(triangles)}"/>'
    )


def _cylinder(radius: float, half: float) -> tuple[list[float], list[float], list[int]]:
    """Return corners, their places in the texture, and triangles of a round piece."""
    points: list[float] = []
    texture: list[float] = []
    triangles: list[int] = []
    ring = [(cos(2 * pi * i / _CORNERS), sin(2 * pi * i / _CORNERS)) for i in range(_CORNERS)]

    def add(x: float, y: float, z: float, u: float, v: float) -> int:
        points.extend((x * radius, y * radius, z))
        # MuJoCo counts from the upper edge of a picture.
        texture.extend((u / 3, 1 - v))
        return len(texture) // 2 - 1

    # Seen from below, left and right are exchanged.
    for cap, (z, mirror) in enumerate(((half, 1), (-half, -1))):
        middle = add(0, 0, z, cap + 0.5, 0.5)
        rim = [add(x, y, z, cap + 0.5 + mirror * 0.49 * x, 0.5 + 0.49 * y) for x, y in ring]
        for one, other in zip(rim, rim[1:] + rim[:1], strict=True):
            triangles += [middle, one, other] if cap == 0 else [middle, other, one]
    upper = [add(x, y, half, 2.5, 0.95) for x, y in ring]
    lower = [add(x, y, -half, 2.5, 0.05) for x, y in ring]
    for i in range(_CORNERS):
        j = (i + 1) % _CORNERS
        triangles += [upper[i], lower[i], lower[j], upper[i], lower[j], upper[j]]
    return points, texture, triangles


def _png(picture: Picture) -> bytes:
    done, data = cv2.imencode('.png', cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    if not done:
        raise ValueError('a texture could not be written')
    return bytes(data.tobytes())


def _numbers(values: Iterable[float]) -> str:
    return ' '.join(f'{value:.6g}' for value in values)
