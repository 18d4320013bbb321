"""The tools, a module for each group: arguments, handlers and descriptions."""
