"""Referee: an event-sourced match scorekeeper and referee for card games played with real cards."""
