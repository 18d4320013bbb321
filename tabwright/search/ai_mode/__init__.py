"""Google AI Mode: pages, answers, sources and conversations."""
