"""Agents that think ahead."""
