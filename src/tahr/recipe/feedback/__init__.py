"""An experiment: the same pairs labelled by two sources, and what each of them teaches the same model."""
