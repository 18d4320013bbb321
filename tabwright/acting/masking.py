"""An outline in which no secret stands: before it is wrapped or cut, when each is still whole."""

import attrs

from tabwright.config.secrets import Secrets
from tabwright.page.outline import Control, Line, Options, Outline, Part


def without_secrets(outline: Outline, secrets: Secrets) -> Outline:
    """The outline with the names of secrets in place of their values."""
    if not secrets:
        return outline
    return attrs.evolve(
        outline,
        url=secrets.masked(outline.url),
        title=secrets.masked(outline.title),
        lines=tuple(_line(line, secrets) for line in outline.lines),
    )


def _line(line: Line, secrets: Secrets) -> Line:
    parts = tuple(_part(part, secrets) for part in line.parts)
    return attrs.evolve(line, parts=parts, url=secrets.masked(line.url))


def _part(part: Part, secrets: Secrets) -> Part:
    match part:
        case None:
            return None
        case str():
            return secrets.masked(part)
        case Control():
            return attrs.evolve(
                part,
                name=secrets.masked(part.name),
                value=secrets.masked(part.value),
                url=secrets.masked(part.url),
                options=part.options and _options(part.options, secrets),
                covered=secrets.masked(part.covered),
            )


def _options(options: Options, secrets: Secrets) -> Options:
    return attrs.evolve(options, shown=tuple(secrets.masked(label) for label in options.shown))
