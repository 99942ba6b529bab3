"""Matches over a game: lanes, views, rewards, clocks from outside. No ROS."""
