"""Who may use what on the graph: policies for ROS 2 with security switched on."""
