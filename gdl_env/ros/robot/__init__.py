"""Boards for robots and RViz."""
