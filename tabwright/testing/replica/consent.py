"""The consent page, and what was chosen on it: the cookie tells, as on the real page."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias
from urllib.parse import urlencode

from tabwright.testing.replica.languages import words
from tabwright.testing.replica.server import Response, html, redirect
from tabwright.testing.replica.templates import fill
from tabwright.testing.replica.visit import ORIGIN, Visit, cookie

Consent: TypeAlias = Literal["reject", "accept"]

_COOKIE = "SOCS"
_VALUES: Mapping[Consent, str] = MappingProxyType({"reject": "CAESHAgB", "accept": "CAISHAgB"})


def consent_in(cookies: str) -> Consent | None:
    """Reads from a Cookie header what was chosen."""
    for consent, value in _VALUES.items():
        if f"{_COOKIE}={value}" in cookies:
            return consent
    return None


def consent_asked(visit: Visit) -> Response | None:
    """Sends a browser that has not chosen yet to the consent page; None lets others pass."""
    if not visit.scenario.consent or _COOKIE in visit.exchange.cookies:
        return None
    url, hl = ORIGIN + visit.exchange.seen.path, visit.language
    asked = {"continue": url, "gl": hl[3:], "hl": hl, "m": "0", "pc": "srp", "src": "1"}
    return redirect(f"https://consent.google.com/ml?{urlencode(asked)}")


def consent_page(visit: Visit) -> Response:
    """Shows a form for each choice."""
    strings = words(visit.language).page
    forms = (
        _form(visit, "W0wltc", strings.reject, rejected="true", accepted="false"),
        _form(visit, "L2AGLb", strings.accept, rejected="false", accepted="true"),
    )
    page = fill("consent.html", strings, language=visit.language, forms_html="".join(forms))
    return html(page)


def _form(visit: Visit, button: str, label: str, **choice: str) -> str:
    return fill(
        "choice.html",
        None,
        language=visit.language,
        country=visit.language[3:],
        continue_url=visit.exchange.query.get("continue", ORIGIN),
        id_html=f'id="{button}" ' if visit.scenario.consent_ids else "",
        label=label,
        **choice,
    )


def consent_saved(visit: Visit) -> Response:
    """Takes a form, and sends the browser on with its choice in a cookie."""
    form = visit.exchange.form
    value = _VALUES["reject" if form.get("set_eom") == "true" else "accept"]
    return redirect(form.get("continue", ORIGIN), status=303, cookie=cookie(_COOKIE, value))
