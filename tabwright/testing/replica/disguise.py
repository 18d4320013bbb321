"""What changes on the page from day to day without a meaning: class names, and noise in between."""

import re
from hashlib import sha256

_CLASS_ATTRIBUTE = re.compile(r'(?<= class=")[^"]+(?=")')
_CLASS_SELECTOR = re.compile(r"(?<=\.)[A-Za-z]\w+(?=[^{}]*\{)")
_CLOSING_TAG = re.compile(r"</(?:a|button|div|li|ol|p|span|strong|ul)>")

_HIDDEN = (
    '<div style="display:none">{}</div>',
    '<div style="visibility:hidden;position:absolute">{}</div>',
    '<div style="width:0;height:0;overflow:hidden">{}</div>',
    "<div hidden>{}</div>",
)


def renamed(html: str, classes: int | None) -> str:
    """Gives every class of `html` the name that it has under this seed."""
    if classes is None:
        return html
    return _CLASS_ATTRIBUTE.sub(
        lambda names: " ".join(_name(name, classes) for name in names[0].split()), html
    )


def restyled(css: str, classes: int | None) -> str:
    """Gives the class selectors of a style sheet the names that `renamed` gives."""
    if classes is None:
        return css
    return _CLASS_SELECTOR.sub(lambda name: _name(name[0], classes), css)


def _name(name: str, classes: int) -> str:
    return "x" + sha256(f"{classes} {name}".encode()).hexdigest()[:6]


def commented(html: str) -> str:
    """Puts a comment behind every element, as the page does."""
    return _CLOSING_TAG.sub(r"\g<0><!--TgQPHd|||[]-->", html)


def echoes(html: str, index: int) -> str:
    """Gives what nobody sees: an end marker, an empty box, and a copy of `html`."""
    marker = f'<span style="display:none">NODE_END_MARKER_{index}</span>'
    return f'{marker}<div style="display:none"></div>{_HIDDEN[index % len(_HIDDEN)].format(html)}'
