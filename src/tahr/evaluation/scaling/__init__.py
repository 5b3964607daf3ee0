"""What more computing at the time of the test is worth: attempts, rounds of revision, longer thinking."""
