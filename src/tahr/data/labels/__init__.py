"""What people and judges said of pairs of answers: one label each, on disk and joined to the pairs."""
