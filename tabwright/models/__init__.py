"""How language models are asked over HTTP: questions to calls, replies to completions. Pure."""
