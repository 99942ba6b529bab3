"""Real boards: where squares are, which pieces move, and what a camera has seen. Knows no ROS."""
