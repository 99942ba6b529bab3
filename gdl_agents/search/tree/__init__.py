"""Monte-Carlo trees."""
