"""The agent at work: the keeper of tasks, and what each of them is done by."""
