"""What changes on the page from day to day without a meaning: its names, and noise in between."""

import re
from functools import cache
from hashlib import sha256

from tabwright.testing.replica.scenario import Scenario

_CLASS_ATTRIBUTE = re.compile(r'(?<= class=")[^"]+(?=")')
_CLASS_SELECTOR = re.compile(r"(?<=\.)[A-Za-z]\w+(?=[^{}]*\{)")
_CLASS_STRING = re.compile(r'(?<="\.)[A-Za-z]\w+(?=")')
_CLOSING_TAG = re.compile(r"</(?:a|button|div|li|ol|p|span|strong|ul)>")
_MARK = re.compile(
    r" data-(?:amic|complete|container-id|icl-uuid|processed|scope-id|src-id|streaming-container"
    r'|subtree|tr-rsts|xid)="[^"]*"'
)

_HIDDEN = (
    '<div style="display:none">{}</div>',
    '<div style="visibility:hidden;position:absolute">{}</div>',
    '<div style="width:0;height:0;overflow:hidden">{}</div>',
    "<div hidden>{}</div>",
    '<div style="position:absolute;clip:rect(1px,1px,1px,1px);overflow:hidden">{}</div>',
    '<div style="position:absolute;left:-9999px">{}</div>',
)


def dressed(html: str, scenario: Scenario) -> str:
    """Gives a piece of the page the noise, the names and the marks that it has in a scenario."""
    loud = commented(html) if scenario.noise else html
    return renamed(loud if scenario.attributes == "full" else unmarked(loud), scenario.classes)


def renamed(html: str, classes: int | None) -> str:
    """Gives every class of `html` the name that it has under this seed."""
    if classes is None:
        return html
    return _CLASS_ATTRIBUTE.sub(
        lambda names: " ".join(_name(name, classes) for name in names[0].split()), html
    )


def restyled(css: str, classes: int | None) -> str:
    """Gives the class selectors of a style sheet the names that `renamed` gives."""
    return _replaced(_CLASS_SELECTOR, css, classes)


def rescripted(script: str, classes: int | None) -> str:
    """Gives the class selectors of a script, strings such as ``".name"``, those names too."""
    return _replaced(_CLASS_STRING, script, classes)


def _replaced(name: re.Pattern[str], text: str, classes: int | None) -> str:
    if classes is None:
        return text
    return name.sub(lambda found: _name(found[0], classes), text)


@cache
def _name(name: str, classes: int) -> str:
    return "x" + sha256(f"{classes} {name}".encode()).hexdigest()[:6]


def unmarked(html: str) -> str:
    """Takes the attributes away that tell what an element is; roles and ids stay."""
    return _MARK.sub("", html)


def commented(html: str) -> str:
    """Puts a comment behind every element, as the page does."""
    return _CLOSING_TAG.sub(r"\g<0><!--TgQPHd|||[]-->", html)


def echoes(html: str, index: int) -> str:
    """Gives what nobody sees: an end marker, an empty box, and a copy of `html`."""
    marker = f'<span style="display:none">NODE_END_MARKER_{index}</span>'
    return f'{marker}<div style="display:none"></div>{_HIDDEN[index % len(_HIDDEN)].format(html)}'
