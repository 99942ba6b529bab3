"""Put the environment on ROS 2 topics.

Only this package and ``gdl_agents.ros`` may import ``rclpy`` and ``gdl_msgs``, so that the
language, the engines and the environment also run where there is no ROS.
"""
