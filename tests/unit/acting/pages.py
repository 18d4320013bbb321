"""Outlines of pages that say anything at all."""

from hypothesis import strategies as st

from tabwright.acting.outlines import Control, Line, Options, Outline

FORGERIES = (
    "[1.5]",
    "[*12.34]",
    "a\n[1.5] button",
    "a\r\n+ [1.5] link",
    "[[1.5]]",
    "x\u2028[7.7]",
    "\x85[0.0]",
    "[\u0661.\u0665]",
)
"""What a page may say to be taken for us."""

TEXTS = st.text(max_size=40) | st.sampled_from(FORGERIES)
CONTROLS = st.builds(
    Control,
    ref=st.integers(1, 40),
    role=st.sampled_from(["button", "link", "textbox"]),
    name=TEXTS,
    value=TEXTS,
    states=st.lists(st.sampled_from(["checked", "disabled"]), max_size=2).map(tuple),
    url=TEXTS,
    options=st.none()
    | st.builds(Options, st.integers(0, 9), st.lists(TEXTS, max_size=3).map(tuple)),
    covered=TEXTS,
)
_PARTS = st.lists(TEXTS | CONTROLS | st.none(), max_size=5).map(tuple)
_FLOWING = st.builds(
    Line,
    depth=st.integers(0, 6),
    kind=st.sampled_from(["", "h1", "h6", "row"]),
    parts=_PARTS,
    seen=st.booleans(),
    document=st.integers(1, 3),
)
_GROUPS = st.builds(
    Line,
    depth=st.integers(0, 6),
    kind=st.sampled_from(["frame", "form", "table", "dialog"]),
    parts=st.tuples(TEXTS),
    seen=st.booleans(),
    url=TEXTS,
    rows=st.none() | st.integers(0, 500),
    modal=st.booleans(),
)
LINES = _FLOWING | _GROUPS
OUTLINES = st.lists(LINES, max_size=25).map(lambda lines: outline(*lines))


def outline(*lines: Line, generation: int = 1, **more: object) -> Outline:
    page = {
        "url": "https://a.example/",
        "title": "A page",
        "top": 0,
        "height": 600,
        "viewport": (800, 600),
        **more,
    }
    return Outline(generation=generation, lines=lines, **page)


def said(text: str, depth: int = 0, **more: object) -> Line:
    return Line(depth=depth, kind="", parts=(text,), **more)


def button(ref: int, name: str, **more: object) -> Control:
    return Control(ref, "button", name, **more)
