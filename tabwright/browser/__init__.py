"""Browsers and their tabs: launching, pooling and watching."""
