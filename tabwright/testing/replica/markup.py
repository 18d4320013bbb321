"""The HTML of an answer's blocks as of August 2026, and how it drifts from day to day."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import cache
from hashlib import sha256, shake_256
from html import escape
from urllib.parse import urlencode

import attrs

from tabwright.protocol.ai_search import SearchSource
from tabwright.protocol.blocks import (
    Block,
    Citation,
    Code,
    Formula,
    Heading,
    Image,
    Inline,
    Inlines,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)
from tabwright.testing.replica.answers import PageStrings
from tabwright.testing.replica.scenario import LinkForm, Scenario

# Wrapped links: how Google writes them, and how its server unwraps them.


_KEY = b"only the server can read what it sealed"


def wrapped(url: str, form: LinkForm) -> str:
    """Return the ``href`` under which the page shows `url`."""
    match form:
        case "direct":
            return url
        case "url":
            return "/url?" + urlencode({"q": url, "sa": "U", "usg": "AOvVaw"})
        case "goto":
            return "/goto?" + urlencode({"url": sealed(url)})


def sealed(text: str) -> str:
    """Encode `text` as an opaque token."""
    return urlsafe_b64encode(_masked(text.encode())).decode("ascii").rstrip("=")


def unsealed(token: str) -> str:
    """Read a token of `sealed` again; any other raises ValueError."""
    return _masked(urlsafe_b64decode(token + "=" * (-len(token) % 4))).decode()


def _masked(data: bytes) -> bytes:
    mask = shake_256(_KEY).digest(len(data))
    return bytes(byte ^ other for byte, other in zip(data, mask, strict=True))


@attrs.frozen
class Markup:
    """Writes blocks as HTML.

    Attributes:
        strings: the words that the page adds.
        sources: what citations name.
        links: how links are wrapped.
        animated: whether runs of text fade in, as they do while an answer grows.
    """

    strings: PageStrings
    sources: tuple[SearchSource, ...]
    links: LinkForm
    animated: bool = False

    def opening(self, block: Paragraph) -> str:
        """Write the first sentence of an answer."""
        html = self._inlines(block.content)
        return f'<div class="n6owBd awi2gc"><span data-subtree="aimfl">{html}</span></div>'

    def nested(self, block: Paragraph) -> str:
        """Write a paragraph in an additional box."""
        return f'<div class="Y3BBE">{self.block(block)}</div>'

    def block(self, block: Block) -> str:
        """Write any block."""
        match block:
            case Paragraph(content):
                html = f'<div class="Y3BBE">{self._inlines(content)}</div>'
            case Heading(level, content):
                html = self._inlines(content)
                html = f'<div class="otQkpb" role="heading" aria-level="{level}">{html}</div>'
            case ItemList():
                items = "".join(map(self._item, block.items))
                if block.ordered:
                    html = f'<ol class="IaGLZe U6u95">{items}</ol>'
                else:
                    html = f'<ul class="KsbFXc U6u95">{items}</ul>'
            case TableBlock(rows):
                written: list[str] = []
                for at, row in enumerate(rows):
                    cell = "td" if at else "th"
                    cells = (f"<{cell}>{self._inlines(content)}</{cell}>" for content in row)
                    written.append(f"<tr>{''.join(cells)}</tr>")
                html = "".join(written)
                html = f'<div class="Fv6NCb"><table><tbody>{html}</tbody></table></div>'
            case Code(text, language):
                html = (
                    f'<div class="r1PmQe"><div class="vVRw1d">{escape(language)}</div>'
                    f'<pre dir="ltr"><code>{escape(text)}</code></pre>'
                    f'<div class="cBfCeb">{escape(self.strings.caution)}</div></div>'
                )
            case Quote(blocks):
                html = f"<blockquote>{''.join(map(self.block, blocks))}</blockquote>"
            case ThematicBreak():
                html = "<hr>"
        return html

    def _item(self, item: Item) -> str:
        nested = "".join(map(self.block, item.blocks))
        line = f'<span class="iNqyIf">{self._inlines(item.content)}</span>'
        return f'<li class="Z1qcYe">{line}{nested}</li>'

    def _inlines(self, content: Inlines) -> str:
        return "".join(map(self._inline, content))

    def _inline(self, run: Inline) -> str:
        match run:
            case TextSpan():
                html = escape(run.text, quote=False)
                if run.bold:
                    html = f'<strong class="rQesXe">{html}</strong>'
                if run.italic:
                    html = f"<em>{html}</em>"
                if run.code:
                    html = f"<code>{html}</code>"
                if run.url:
                    html = f'<a target="_blank" href="{self._href(run.url)}">{html}</a>'
                return (
                    f'<span data-sae="" data-animation-name="fade">{html}</span>'
                    if self.animated
                    else html
                )
            case Citation(sources):
                return self._chip(sources[0])
            case Image() | Formula():
                return ""  # answers have none

    def _chip(self, number: int) -> str:
        """Write a citation; every fourth source is shown by a button without a link."""
        source = self.sources[number - 1]
        more = f" (+{number % 3})" if number % 3 else ""
        label = escape(f"{source.site}{more} - {source.title}. {self.strings.related}")
        anchor = (
            f'<a class="PMDqCb" target="_blank" aria-label="{label}"'
            f' href="{self._href(source.url)}"></a>'
        )
        count = f"<span>+{number % 3}</span>" if more else ""
        return (
            f'<span class="WBgIic"><span class="NMq1me">&nbsp;{anchor if number % 4 else ""}'
            f'<button class="vDOt8c" data-amic="true" data-icl-uuid="{number:08x}-aim"'
            f' aria-label="{label}"><span>{escape(source.site)}</span>{count}</button>'
            "</span></span>"
        )

    def _href(self, url: str) -> str:
        return escape(wrapped(url, self.links))


# What changes from day to day without a meaning: names, and noise in between.

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
    """Apply the noise, the names and the marks of a scenario to a piece of the page."""
    loud = commented(html) if scenario.noise else html
    return renamed(loud if scenario.attributes == "full" else unmarked(loud), scenario.classes)


def renamed(html: str, classes: int | None) -> str:
    """Rename the classes of `html` by this seed."""
    if classes is None:
        return html
    return _CLASS_ATTRIBUTE.sub(
        lambda names: " ".join(_name(name, classes) for name in names[0].split()), html
    )


def restyled(css: str, classes: int | None) -> str:
    """Rename the class selectors of a style sheet as `renamed` does."""
    return _replaced(_CLASS_SELECTOR, css, classes)


def rescripted(script: str, classes: int | None) -> str:
    """Rename the class selectors of a script, strings such as ``".name"``, likewise."""
    return _replaced(_CLASS_STRING, script, classes)


def _replaced(name: re.Pattern[str], text: str, classes: int | None) -> str:
    if classes is None:
        return text
    return name.sub(lambda found: _name(found[0], classes), text)


@cache
def _name(name: str, classes: int) -> str:
    return "x" + sha256(f"{classes} {name}".encode()).hexdigest()[:6]


def unmarked(html: str) -> str:
    """Remove the attributes that identify an element; roles and ids stay."""
    return _MARK.sub("", html)


def commented(html: str) -> str:
    """Add a comment after every element, as the page does."""
    return _CLOSING_TAG.sub(r"\g<0><!--TgQPHd|||[]-->", html)


def echoes(html: str, index: int) -> str:
    """Return invisible elements: an end marker, an empty box, and a copy of `html`."""
    marker = f'<span style="display:none">NODE_END_MARKER_{index}</span>'
    return f'{marker}<div style="display:none"></div>{_HIDDEN[index % len(_HIDDEN)].format(html)}'
