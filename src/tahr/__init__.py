"""tahr: train language models against honest rewards."""

import os

__version__ = "0.1.0"

# Read by GNU OpenMP when torch is first imported. A thread that spins long while it waits is no faster alone, and many
# times slower where anything else runs on the machine: the core that it holds is the one it waits for.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "3000")
