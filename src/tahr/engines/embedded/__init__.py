"""The embedded engine: samples in this process, on the weights that are being trained."""
