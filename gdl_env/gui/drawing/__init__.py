"""Facts and moves as pictures: knows neither ROS nor the web, so that it can be tested alone."""
