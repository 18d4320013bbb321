"""What stands between a browser and a Google page: consent, CAPTCHA, block page, script check.

The marks that need no language are those of the real pages: hosts, paths, element ids and fields.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import parse_qs, urlencode, urlsplit

from tabwright.testing.replica.languages import Language, language_of, words
from tabwright.testing.replica.links import sealed, unsealed
from tabwright.testing.replica.scenario import Scenario
from tabwright.testing.replica.server import Exchange, Response, html, redirect
from tabwright.testing.replica.templates import fill, text_of

ORIGIN = "https://www.google.com"

_CONSENTED = "SOCS"
_EXEMPTED = "GOOGLE_ABUSE_EXEMPTION"
_CHECKED = "SG_REL"

Gate: TypeAlias = Callable[[Exchange, Language], Response]


def obstacle(exchange: Exchange, scenario: Scenario, language: Language) -> Response | None:
    """Gives what is shown in place of the page that is asked for; None lets the request pass."""
    url = ORIGIN + exchange.seen.path
    if scenario.consent and _CONSENTED not in exchange.cookies:
        return redirect(_consent_url(url, language))
    if (block := blocked(exchange, scenario, url)) is not None:
        return block
    if scenario.script_check and exchange.query.get("emsg") != _CHECKED:
        return html(fill("check.html", language=language, token=sealed(exchange.seen.path)))
    return None


def blocked(exchange: Exchange, scenario: Scenario, url: str) -> Response | None:
    """Gives the block page for a request of the page `url`; None lets the request pass."""
    if scenario.captcha and _EXEMPTED not in exchange.cookies:
        return redirect(_sorry_url(url))
    return html(text_of("blocked.html"), status=429) if scenario.rate_limited else None


def _consent_url(url: str, language: Language) -> str:
    asked = {"continue": url, "gl": language[3:], "hl": language, "m": "0", "pc": "srp", "src": "1"}
    return f"https://consent.google.com/ml?{urlencode(asked)}"


def _sorry_url(url: str) -> str:
    return f"{ORIGIN}/sorry/index?{urlencode({'continue': url, 'q': sealed(url)[:40]})}"


def _cookie(name: str) -> str:
    return f"{name}=CAESHAgB; Path=/; Domain=.google.com; Secure"


def _consent(exchange: Exchange, language: Language) -> Response:
    strings = words(language).page
    choices = (("W0wltc", strings.reject, "true"), ("L2AGLb", strings.accept, "false"))
    forms = (
        fill(
            "choice.html",
            language=language,
            country=language[3:],
            continue_url=exchange.query.get("continue", ORIGIN),
            id=button,
            label=label,
            rejected=rejected,
            accepted="false" if rejected == "true" else "true",
        )
        for button, label, rejected in choices
    )
    return html(fill("consent.html", strings, language=language, forms_html="".join(forms)))


def _save(exchange: Exchange, _: Language) -> Response:
    url = exchange.form.get("continue", ORIGIN)
    return redirect(url, status=303, cookie=_cookie(_CONSENTED))


def _sorry(exchange: Exchange, otherwise: Language) -> Response:
    if exchange.seen.method == "POST":
        return _solved(exchange.form)
    url = exchange.query.get("continue", ORIGIN)
    language = language_of("".join(parse_qs(urlsplit(url).query).get("hl", [])), otherwise)
    token = exchange.query.get("q", "")
    strings = words(language).page
    page = fill("sorry.html", strings, language=language, url=url, continue_url=url, token=token)
    return html(page, status=429)


def _solved(form: Mapping[str, str]) -> Response:
    """Lets in whoever brings the token of the frame; sends anybody else back to it."""
    url = form.get("continue", ORIGIN)
    if form.get("g-recaptcha-response"):
        return redirect(url, cookie=_cookie(_EXEMPTED))
    return redirect(_sorry_url(url))


def _anchor(_: Exchange, language: Language) -> Response:
    return html(fill("anchor.html", words(language).page, language=language))


def _enablejs(exchange: Exchange, language: Language) -> Response:
    path = unsealed(exchange.query["sei"])
    return html(fill("enablejs.html", language=language, url=f"{path}&emsg={_CHECKED}"))


def _goto(exchange: Exchange, _: Language) -> Response:
    return redirect(unsealed(exchange.query["url"]))


def _url(exchange: Exchange, _: Language) -> Response:
    return redirect(exchange.query.get("q") or exchange.query["url"])


GATES: Mapping[str, Gate] = MappingProxyType(
    {
        "/ml": _consent,
        "/save": _save,
        "/sorry/index": _sorry,
        "/recaptcha/anchor": _anchor,
        "/httpservice/retry/enablejs": _enablejs,
        "/goto": _goto,
        "/url": _url,
    }
)
