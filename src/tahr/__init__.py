"""tahr: train language models against honest rewards."""

import os

__version__ = "0.1.0"

# Read by OpenMP when torch is first imported. Threads that spin while they wait are no faster alone, and many times
# slower where anything else runs on the machine: the core that they hold is the one they wait for.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
