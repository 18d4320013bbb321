"""A page in a browser: navigation, frames, outlines, actions and events."""
