"""The task agent: its actions, its prompts and the parsing of model replies."""
