"""A table with physics, in MuJoCo: an arm, real contacts, a person's hand and a camera."""

import os

# Pictures need no display. MuJoCo reads this when it is first imported.
os.environ.setdefault('MUJOCO_GL', 'osmesa')
