"""The language models that the agent thinks with."""
