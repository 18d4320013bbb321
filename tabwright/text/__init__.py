"""Text for people and models, made of data."""
