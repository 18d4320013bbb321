"""The page on which Google asks for consent to its privacy rules, before any other page."""

from functools import cache
from importlib.resources import files

from tabwright.search.urls import host_of, is_google_host


def is_consent_page(url: str) -> bool:
    """Return whether Google asks for consent there; answering it leads on."""
    host = host_of(url)
    return is_google_host(host) and host.startswith("consent.")


@cache
def consent_function() -> str:
    """Return the function ``consent(choice)``: ``reject`` or ``accept`` the privacy question.

    Its value is ``answered``, or ``missing`` if there is no button for it.
    """
    return files(__package__ or "").joinpath("js", "consent.js").read_text(encoding="utf-8")
