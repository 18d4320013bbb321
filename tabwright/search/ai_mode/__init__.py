"""Google's AI Mode: pages, answers, sources and conversations."""
