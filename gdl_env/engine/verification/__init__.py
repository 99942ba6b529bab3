"""Engines compared with each other: walks, comparison, shrinking, surveys of whole collections."""
