"""The task agent: it plans, acts on pages and validates answers, until a task is done.

`task` is the loop, `model_calls` asks the models, `replies` parses what they answer, `executor`
performs their `actions` in a session.
"""
