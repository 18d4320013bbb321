"""What a person at a shell gets."""
