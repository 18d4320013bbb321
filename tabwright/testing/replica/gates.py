"""What stands between a browser and a Google page: consent, CAPTCHA, block page, script check.

The marks that need no language are those of the real pages: hosts, paths, element ids and fields.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import parse_qs, urlencode, urlsplit

from tabwright.testing.replica.consent import consent_asked, consent_page, consent_saved
from tabwright.testing.replica.languages import language_of, words
from tabwright.testing.replica.links import sealed, unsealed
from tabwright.testing.replica.server import Response, html, redirect
from tabwright.testing.replica.templates import fill, text_of
from tabwright.testing.replica.visit import ORIGIN, Visit, cookie

_EXEMPTED = "GOOGLE_ABUSE_EXEMPTION"
_CHECKED = "SG_REL"

Gate: TypeAlias = Callable[[Visit], Response]


def obstacle(visit: Visit) -> Response | None:
    """Gives what is shown in place of the page that is asked for; None lets the request pass."""
    path = visit.exchange.seen.path
    return consent_asked(visit) or blocked(visit, ORIGIN + path) or _checked(visit, path)


def blocked(visit: Visit, url: str) -> Response | None:
    """Gives the block page for a request of the page `url`; None lets the request pass."""
    if _is_suspect(visit) and _EXEMPTED not in visit.exchange.cookies:
        return redirect(_sorry_url(url))
    return html(text_of("blocked.html"), status=429) if visit.scenario.rate_limited else None


def _is_suspect(visit: Visit) -> bool:
    after = visit.scenario.captcha_after
    return visit.scenario.captcha or (after is not None and visit.served >= after)


def _checked(visit: Visit, path: str) -> Response | None:
    if not visit.scenario.script_check or visit.exchange.query.get("emsg") == _CHECKED:
        return None
    return html(fill("check.html", language=visit.language, token=sealed(path)))


def _sorry_url(url: str) -> str:
    return f"{ORIGIN}/sorry/index?{urlencode({'continue': url, 'q': sealed(url)[:40]})}"


def _sorry(visit: Visit) -> Response:
    if visit.exchange.seen.method == "POST":
        return _solved(visit.exchange.form)
    url = visit.exchange.query.get("continue", ORIGIN)
    hl = "".join(parse_qs(urlsplit(url).query).get("hl", []))
    language = language_of(hl, visit.language)
    token = visit.exchange.query.get("q", "")
    strings = words(language).page
    page = fill("sorry.html", strings, language=language, url=url, continue_url=url, token=token)
    return html(page, status=429)


def _solved(form: Mapping[str, str]) -> Response:
    """Lets in whoever brings the token of the frame; sends anybody else back to it."""
    url = form.get("continue", ORIGIN)
    if form.get("g-recaptcha-response"):
        return redirect(url, cookie=cookie(_EXEMPTED, "ID=1:TM=1:C=r"))
    return redirect(_sorry_url(url))


def _anchor(visit: Visit) -> Response:
    return html(fill("anchor.html", words(visit.language).page, language=visit.language))


def _enablejs(visit: Visit) -> Response:
    path = unsealed(visit.exchange.query["sei"])
    return html(fill("enablejs.html", language=visit.language, url=f"{path}&emsg={_CHECKED}"))


def _goto(visit: Visit) -> Response:
    return redirect(unsealed(visit.exchange.query["url"]))


def _url(visit: Visit) -> Response:
    return redirect(visit.exchange.query.get("q") or visit.exchange.query["url"])


GATES: Mapping[str, Gate] = MappingProxyType(
    {
        "/ml": consent_page,
        "/save": consent_saved,
        "/sorry/index": _sorry,
        "/recaptcha/anchor": _anchor,
        "/httpservice/retry/enablejs": _enablejs,
        "/goto": _goto,
        "/url": _url,
    }
)
