"""Agents as nodes of ROS 2."""
