"""The page on which people label pairs: what is shown to whom, and the server that shows it to nobody else."""
