"""What the readers of office files return, and the phrases and the HTML of which they make it."""

from collections.abc import Callable, Iterable, Mapping
from html import escape
from xml.etree import ElementTree as ET

import attrs

from tabwright.content.xml_tree import attribute, local
from tabwright.protocol.blocks import Blocks
from tabwright.protocol.snapshot import Metadata, PageLink
from tabwright.text.lines import collapse_whitespace


@attrs.frozen
class OfficeContent:
    """The content of an office file.

    Attributes:
        html: the content as HTML; empty if `blocks` has it.
        left: what was not read, as phrases such as ``3 pictures``.
    """

    html: str = ""
    blocks: Blocks = ()
    links: tuple[PageLink, ...] = ()
    title: str = ""
    metadata: Metadata = attrs.field(factory=Metadata)
    left: tuple[str, ...] = ()


def described(
    content: OfficeContent, properties: Iterable[ET.Element], *, dated: str = "created"
) -> OfficeContent:
    """Return the content with its title and metadata.

    Office, OpenDocument and EPUB write their metadata in the terms of Dublin Core.

    Args:
        content: what was read.
        properties: elements named by Dublin Core, for example ``dc:title``.
        dated: the name of the element with the date of publication.
    """
    values: dict[str, list[str]] = {}
    for node in properties:
        name = attribute(node, "property").rpartition(":")[2] or local(node)
        text = collapse_whitespace("".join(node.itertext()))
        if text and text not in values.setdefault(name, []):
            values[name].append(text)
    first: Callable[[str], str] = lambda name: values.get(name, [""])[0]  # noqa: E731
    keywords = values.get("keywords", []) + values.get("keyword", []) + values.get("subject", [])
    return attrs.evolve(
        content,
        title=first("title"),
        metadata=Metadata(
            description=first("description"),
            keywords=tuple(keywords),
            language=first("language"),
            author=", ".join(values.get("initial-creator") or values.get("creator", [])),
            site_name=first("publisher"),
            published=first(dated),
            modified=first("modified") or ("" if dated == "date" else first("date")),
        ),
    )


def counted(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return phrases such as ``3 pictures`` for what there is; the names are singular."""
    return tuple(
        f"{n:,} {name.replace(' or ', 's or ')}s" if n > 1 else f"{n:,} {name}"
        for name, n in counts.items()
        if n
    )


def element(name: str, inner: str) -> str:
    """Return an HTML element, or nothing if it would be empty."""
    return f"<{name}>{inner}</{name}>" if inner.strip() else ""


def linked(inner: str, url: str) -> str:
    """Return HTML as a link."""
    return f'<a href="{escape(url)}">{inner}</a>' if url and inner else inner
