"""Task sources, mixing, splits."""
