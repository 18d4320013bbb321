"""The keys of the page, and what of the program they call."""

from textual.binding import Binding, BindingType

_OPTIONS = (
    "inverted_exclamation_mark",
    "trade_mark_sign",
    "pound_sign",
    "cent_sign",
    "infinity",
    "section_sign",
    "pilcrow_sign",
    "bullet",
    "ª",
)
"""What Textual takes Alt and a digit for: the same with a Mac's Option key."""

_MOVING = (
    ("j,down", "lines(1)"),
    ("k,up", "lines(-1)"),
    ("h,left", "columns(-8)"),
    ("l,right", "columns(8)"),
    ("d,pagedown,space", "pages(0.9)"),
    ("u,pageup", "pages(-0.9)"),
    ("ctrl+d", "pages(0.5)"),
    ("ctrl+u", "pages(-0.5)"),
    ("g,home", "lines(-1000000000)"),
    ("G,end", "lines(1000000000)"),
    ("tab", "next_spot(1)"),
    ("shift+tab", "next_spot(-1)"),
)
_CALLING = (
    ("enter", "use"),
    ("b,backspace", "step(-1)"),
    ("f", "step(1)"),
    ("r", "refresh_page"),
    ("R", "reader"),
    ("i", "images"),
    ("o", "type(':', 'open ')"),
    ("a", "type(':', 'ask ')"),
    ("colon", "type(':')"),
    ("slash", "type('/')"),
    ("n", "find_next(1)"),
    ("N", "find_next(-1)"),
    ("t", "new_tab"),
    ("x", "close_tab"),
    ("right_square_bracket", "next_tab(1)"),
    ("left_square_bracket", "next_tab(-1)"),
    ("exclamation_mark", "person"),
    ("question_mark", "help"),
    ("escape", "stop"),
    ("q", "end"),
    *((f"{digit}", f"digit('{digit}')") for digit in range(10)),
    *((f"alt+{number},{name}", f"turn_to({number})") for number, name in enumerate(_OPTIONS, 1)),
)

PAGE_KEYS: list[BindingType] = [
    *(Binding(keys, action, show=False, priority=True) for keys, action in _MOVING),
    *(Binding(keys, f"app.{action}", show=False, priority=True) for keys, action in _CALLING),
]
"""They are the page's and not the program's: where one types they are letters. With priority they
act before the next key is looked at, so that what is typed in a burst goes where it belongs."""
