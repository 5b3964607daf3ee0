"""Chat models behind servers that speak OpenAI's ``/v1/chat/completions``."""
