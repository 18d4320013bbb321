"""Going through a tree without calling oneself: a page may be nested as deep as it likes."""

from typing import Protocol

from selectolax.lexbor import LexborNode

TEXT = "-text"
"""What the parser calls a node that is text."""


class Visitor(Protocol):
    """Sees a tree in reading order."""

    def text(self, text: str, /) -> None:
        """Comes to a text."""
        ...

    def opens(self, tag: str, node: LexborNode, /) -> bool:
        """Comes to an element; whether what is in it is to be seen, and then its end."""
        ...

    def closes(self) -> None:
        """Comes to the end of the element that was opened last and is not closed yet."""
        ...


def walk(root: LexborNode, visitor: Visitor) -> None:
    """Shows the visitor the root and all that is in it."""
    parents: list[LexborNode] = []
    node = root
    while True:
        tag = node.tag or ""
        if tag == TEXT:
            visitor.text(node.text_content or "")
        elif visitor.opens(tag, node):
            child = node.first_child
            if child is not None:
                parents.append(node)
                node = child
                continue
            visitor.closes()
        while parents:
            following = node.next
            if following is not None:
                node = following
                break
            visitor.closes()
            node = parents.pop()
        else:
            return
