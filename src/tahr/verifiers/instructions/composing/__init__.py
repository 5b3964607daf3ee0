"""New tasks from instructions: sets that don't contradict each other, put into words over any prompt."""
