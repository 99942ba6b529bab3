"""Run games written in the Game Description Language, alone or as ROS 2 nodes.

Layers, lowest first: ``errors``, ``language``, ``engine``, ``environment``, ``ros``, and the
command line ``cli`` on top. A module imports only from its own layer and below; import-linter
keeps it so.
"""
