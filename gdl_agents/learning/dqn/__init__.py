"""DQN and Rainbow, vectorised over lanes."""
