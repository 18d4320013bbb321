"""What the browser of the terminal shows: pages, as the server's tools give them."""

from urllib.parse import urlsplit

import attrs

from tabwright.protocol.snapshot import Form, Link


@attrs.frozen(eq=False)
class Page:
    """A page, or an answer that is shown as one. Each that comes is another, whatever it says.

    Attributes:
        url: where it is; of an answer, the command that asked for it.
        text: Markdown.
        links: with the numbers by which they are followed.
        tier: how it was read; 0 for an answer.
        took_s: to get and to read it.
        tokens: what a model would have to read.
        notice: what the reading had to do without, or what else is to be known.
        reader: whether it is the main content alone.
    """

    url: str
    title: str
    text: str
    links: tuple[Link, ...] = ()
    forms: tuple[Form, ...] = ()
    status: int = 0
    tier: int = 0
    took_s: float = 0.0
    tokens: int = 0
    notice: str = ""
    reader: bool = False

    @property
    def name(self) -> str:
        """What stands for it where there is little room."""
        return self.title or urlsplit(self.url).netloc or self.url

    @property
    def is_answer(self) -> bool:
        """Whether it is the answer to a question, and nothing that could be loaded again."""
        return not self.tier


@attrs.frozen
class Waiting:
    """Something that waits for a person.

    Attributes:
        id: by which it is answered.
        site: who asks.
        left_s: until it expires.
    """

    id: str
    site: str
    state: str
    left_s: float
