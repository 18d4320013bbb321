"""All solvers, family by family."""

import clicking
import dates
import dragging
import drawing
import forms
import games
import mail
import reading
import shapes
import travel
from solvers import SOLVERS

FAMILIES = (
    clicking, dates, dragging, drawing, forms, games, mail, reading, shapes, travel,
)  # fmt: skip

__all__ = ["FAMILIES", "SOLVERS"]
