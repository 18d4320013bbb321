"""What processes share through Redis. Knows no browser."""
