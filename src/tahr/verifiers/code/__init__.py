"""Programs as answers: run in the sandbox, judged by tests that they can't see, watched for cheating."""
