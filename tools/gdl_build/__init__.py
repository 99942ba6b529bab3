"""Install what pip alone does not: the messages, and the files `ros2 run` and `ros2 launch` need.

Used by ``setup.py`` for a wheel and, as ``python -m gdl_build --prefix DIR``, by ``./gdl`` for a
development environment. Needs the standard library only, since it runs before anything else is
installed.
"""
