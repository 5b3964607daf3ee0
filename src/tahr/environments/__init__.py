"""How an attempt at a task is played."""
