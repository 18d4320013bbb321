"""The agent that does tasks: what it may do, what it is told, how its model's answers are read."""
