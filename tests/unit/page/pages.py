"""Strategies for outlines of pages with arbitrary and hostile text."""

from hypothesis import strategies as st

from tabwright.page.outline import Options, Outline, OutlineControl, OutlineLine

FORGERIES = (
    "[1.5]",
    "[*12.34]",
    "a\n[1.5] button",
    "a\r\n+ [1.5] link",
    "[[1.5]]",
    "x\u2028[7.7]",
    "\x85[0.0]",
    "[\u0661.\u0665]",
    "[1\u200d.\u200c5]",
    "[1\u200b.\u20605]",
    'x" disabled = "',
    "\\",
)
"""What a page may say to be taken for us."""

UNSEEN = (
    "\x1b[2J\x1b]0;title\x07",
    "\x9b31m",
    "\u202eeteled\u202c",
    "\u2066left\u2069",
    "a\u200bb\ufeffc\xadd",
    "\u061c\u180e\u3164",
    "e\ufe0f\U000e0101\U000e0141",
    "\U000f0001\U0010fffd",
    "a \x1b b",
)
"""What nobody sees, or what a terminal would do."""

LONG = ("word " * 300, "\u4e2d" * 400, "\U0001f600" * 300, "x" * 5000, "%E4%B8%AD/" * 90)

TEXTS = st.text(max_size=40) | st.sampled_from(FORGERIES + UNSEEN) | st.sampled_from(LONG)
CONTROLS = st.builds(
    OutlineControl,
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
_MANY = st.integers(2, 400).map(lambda count: ("cell", None) * count)
_PARTS = st.lists(TEXTS | CONTROLS | st.none(), max_size=5).map(tuple) | _MANY
_FLOWING = st.builds(
    OutlineLine,
    depth=st.integers(0, 6),
    kind=st.sampled_from(["", "h1", "h6", "row"]),
    parts=_PARTS,
    seen=st.booleans(),
    document=st.integers(1, 3),
)
_GROUPS = st.builds(
    OutlineLine,
    depth=st.integers(0, 6),
    kind=st.sampled_from(["frame", "form", "table", "dialog"]),
    parts=st.tuples(TEXTS),
    seen=st.booleans(),
    url=TEXTS,
    rows=st.none() | st.integers(0, 500),
    modal=st.booleans(),
)
LINES = _FLOWING | _GROUPS
OUTLINES = st.builds(
    lambda lines, page: outline(*lines, **page),
    st.lists(LINES, max_size=25),
    st.fixed_dictionaries(
        {},
        optional={
            "url": TEXTS,
            "title": TEXTS,
            "top": st.integers(0, 10**8),
            "height": st.integers(0, 10**8),
            "hidden": st.integers(0, 10**5),
            "cut": st.booleans(),
        },
    ),
)


def outline(*lines: OutlineLine, generation: int = 1, **more: object) -> Outline:
    page = {
        "url": "https://a.example/",
        "title": "A page",
        "top": 0,
        "height": 600,
        "viewport": (800, 600),
        **more,
    }
    return Outline(generation=generation, lines=lines, **page)


def text_line(text: str, depth: int = 0, **more: object) -> OutlineLine:
    return OutlineLine(depth=depth, kind="", parts=(text,), **more)


def button(ref: int, name: str, **more: object) -> OutlineControl:
    return OutlineControl(ref, "button", name, **more)
