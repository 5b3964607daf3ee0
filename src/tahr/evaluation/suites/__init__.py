"""Named sets of questions with the conditions that they are asked under."""
