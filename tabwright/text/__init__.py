"""Text for people and models, built from data."""
