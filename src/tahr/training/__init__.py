"""One step; supervised fine-tuning and reinforcement learning on top of it."""
