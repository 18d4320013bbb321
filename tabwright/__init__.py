"""Actors on trio that drive real Chromium and serve what they find to AI agents."""
