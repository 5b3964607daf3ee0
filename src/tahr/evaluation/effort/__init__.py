"""What answers cost and what their confidence is worth: tokens, budgets, calibration, abstention."""
