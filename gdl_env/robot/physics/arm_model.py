"""The arm as a MuJoCo model: five joints, and a gripper whose pads can turn over what they hold.

Its size follows from the table, so that it reaches every square and slot. The finger tips are at
the site `tip`: x is where they point to, y how they close.
"""

from __future__ import annotations

from math import pi

import mujoco

from gdl_env.robot.physics.table_layout import TableLayout

ARM_JOINTS = ('foot', 'shoulder', 'elbow', 'wrist', 'roll')
FINGERS = ('finger_left', 'finger_right')
PADS = ('pad_left', 'pad_right')
JOINTS = (*ARM_JOINTS, *FINGERS, *PADS)
TIP = 'tip'
# How far fingers open, for squares of 5 cm [m].
_OPEN = 0.04
# With this force they close [N].
GRIP = 12.0
_GREY, _BLUE, _DARK = '0.85 0.85 0.87 1', '0.12 0.44 0.55 1', '0.2 0.2 0.22 1'
_BARE = 'contype="0" conaffinity="0"'
# Joint: range [rad], stiffness [N m/rad], greatest torque [N m], inertia of its motor [kg m2].
_SERVOS = {
    'foot': ((-3.1, 3.1), 4000, 400, 0.4),
    'shoulder': ((-2.4, 1.5), 4000, 400, 0.4),
    'elbow': ((0.05, 2.95), 4000, 400, 0.3),
    'wrist': ((-2.0, 2.9), 1500, 150, 0.05),
    'roll': ((-2 * pi, 2 * pi), 600, 60, 0.01),
}


def arm_alone(layout: TableLayout) -> mujoco.MjModel:
    """Return a model of nothing but the arm, for its kinematics."""
    xml = (
        '<mujoco><compiler angle="radian" autolimits="true"/>'
        f'<worldbody>{arm_body(layout)}</worldbody></mujoco>'
    )
    return mujoco.MjModel.from_xml_string(xml)


def arm_body(layout: TableLayout) -> str:
    """Return the bodies of the arm."""
    s, link, wrist = layout.scale, layout.link, layout.wrist
    x, y = layout.base
    thick = 0.03 * s
    height = layout.shoulder
    fingers = ''.join(_finger(layout, side) for side in (1, -1))
    return f"""
<body name="arm" pos="{x} {y} {layout.surface}" euler="0 0 {-pi / 2}">
  <geom type="cylinder" size="{1.8 * thick} {0.01 * s}" pos="0 0 {0.01 * s}" rgba="{_DARK}"
        {_BARE}/>
  <body name="column" gravcomp="1">{_joint('foot', '0 0 1')}
    <geom type="capsule" size="{1.3 * thick}" fromto="0 0 {0.03 * s} 0 0 {height}"
          rgba="{_GREY}" mass="3" {_BARE}/>
    <body name="upper_arm" pos="0 0 {height}" gravcomp="1">{_joint('shoulder', '0 1 0')}
      <geom type="capsule" size="{thick}" fromto="0 0 0 {link} 0 0" rgba="{_BLUE}" mass="2"
            {_BARE}/>
      <body name="forearm" pos="{link} 0 0" gravcomp="1">{_joint('elbow', '0 1 0')}
        <geom type="capsule" size="{0.8 * thick}" fromto="0 0 0 {link} 0 0" rgba="{_GREY}"
              mass="1.2" {_BARE}/>
        <body name="wrist" pos="{link} 0 0" gravcomp="1">{_joint('wrist', '0 1 0')}
          <geom type="capsule" size="{0.6 * thick}" fromto="0 0 0 {0.4 * wrist} 0 0"
                rgba="{_BLUE}" mass="0.5" {_BARE}/>
          <body name="gripper" pos="{0.4 * wrist} 0 0" gravcomp="1">{_joint('roll', '1 0 0')}
            <geom type="box" size="{0.012 * s} {0.045 * s} {0.014 * s}" pos="{0.012 * s} 0 0"
                  rgba="{_DARK}" mass="0.3" {_BARE}/>
            <site name="{TIP}" pos="{0.6 * wrist} 0 0" size="0.002" group="4"/>
            {fingers}
          </body>
        </body>
      </body>
    </body>
  </body>
</body>"""


def arm_parts(layout: TableLayout) -> str:
    """Return its actuators, and that both fingers and both pads move together."""
    servos = ''.join(
        f'<position name="{name}" joint="{name}" kp="{stiff}" dampratio="1"'
        f' forcerange="{-most} {most}"/>'
        for name, (_, stiff, most, _) in _SERVOS.items()
    )
    return f"""
<actuator>{servos}
  <position name="grip" joint="{FINGERS[0]}" kp="2500" kv="60" forcerange="{-GRIP} {GRIP}"/>
  <position name="turn" joint="{PADS[0]}" kp="8" dampratio="1" forcerange="-4 4"/>
</actuator>
<equality>
  <joint joint1="{FINGERS[0]}" joint2="{FINGERS[1]}" polycoef="0 1 0 0 0" solref="0.004 1"/>
  <joint joint1="{PADS[0]}" joint2="{PADS[1]}" polycoef="0 1 0 0 0" solref="0.004 1"/>
</equality>
<contact>
  <exclude body1="{FINGERS[0]}" body2="{FINGERS[1]}"/>
  <exclude body1="{PADS[0]}" body2="{PADS[1]}"/>
</contact>"""


def _finger(layout: TableLayout, side: int) -> str:
    s, tip = layout.scale, 0.6 * layout.wrist
    number = 0 if side > 0 else 1
    finger, pad = FINGERS[number], PADS[number]
    # From its pad, which ends at y = 0, a finger reaches outward.
    return f"""
<body name="{finger}" pos="{tip} 0 0" gravcomp="1">
  <joint name="{finger}" type="slide" axis="0 {side} 0" range="0 {_OPEN * s}" armature="0.05"
         damping="2"/>
  <geom type="box" size="{0.5 * tip - 0.012 * s} {0.003 * s} {0.005 * s}"
        pos="{-0.5 * tip + 0.01 * s} {side * 0.0065 * s} 0" rgba="{_DARK}" mass="0.05"
        friction="0.4"/>
  <body name="{pad}" gravcomp="1">
    <joint name="{pad}" type="hinge" axis="0 1 0" armature="0.002" damping="0.02"/>
    <geom type="box" size="{0.006 * s} {0.0018 * s} {0.006 * s}" pos="0 {side * 0.0018 * s} 0"
          rgba="0.1 0.1 0.1 1" mass="0.02" condim="6" priority="1"
          friction="1.6 0.02 0.002" solref="0.006 1" solimp="0.95 0.99 0.001"/>
  </body>
</body>"""


def _joint(name: str, axis: str) -> str:
    (low, high), _, _, inertia = _SERVOS[name]
    return (
        f'<joint name="{name}" type="hinge" axis="{axis}" range="{low} {high}"'
        f' armature="{inertia}" damping="0.5"/>'
    )
