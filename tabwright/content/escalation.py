"""Judges, by structure only, whether a page shows less than in a browser, or a CAPTCHA.

The lowest tier that shows enough is used. So traces of a framework alone mean nothing: most pages
that are built by a framework arrive with their text.
"""

import re
from itertools import islice
from typing import get_args

import attrs
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.element_path import Surroundings, is_hidden, visible_text
from tabwright.content.html.hidden_elements import THIN_CHARACTERS, hidden_main
from tabwright.content.html.tree import FRAME_DEPTH_MAX, Addresses, parsed
from tabwright.content.page_parts import (
    DIALOGS,
    characters_in,
    has_empty_main,
    is_content_frame,
    open_dialogs,
    own_text,
    shown_characters,
    shows_nothing,
)
from tabwright.content.static_signs import (
    EMPTY_CHARACTERS,
    NO_MAIN,
    SHORT_CHARACTERS,
    StaticPage,
)
from tabwright.content.tab_signs import RenderedPage
from tabwright.protocol.snapshot import ERROR_STATUS_MIN, LoadState, PageSource, Tier
from tabwright.protocol.tab import REFUSALS
from tabwright.text.lines import HEADING_LEVELS, NAMED_MAX, shortened

BUILDERS = re.compile(
    r"__NEXT_DATA__|__NUXT__|webpackJsonp|__webpack_require__|webpackChunk|customElements\.define"
    r"|attachShadow|IntersectionObserver|requestIdleCallback"
)
"""Signs of pages that load their content when it is scrolled into view."""

SECTIONS = ", ".join(
    f"{part} > {heading}" for part in ("section", "article") for heading in HEADING_LEVELS
)
"""The headings of sections."""

TABS = "[role=tab][aria-controls]:not([aria-selected=true])"
"""The tabs of panels that are not shown (WAI-ARIA)."""

COUNTS = ("data-to", "data-end", "data-count", "data-target", "data-stop", "data-number")
"""Attributes with the number that a script counts up to in an element, from 0."""

BARE_SECTIONS_MIN = 2
"""Sections with nothing but a heading that a page has if it fills them when they are in view."""

OTHER_FRAMES = "frame[src], object[type^='text/html' i][data]"
"""Frames that are not read in a tab either."""

NESTED_FRAMES = "iframe[srcdoc]:not([srcdoc=''])"
"""Frames in too many others; the content of those in fewer is in their place."""

REFRESHES = "meta[http-equiv=refresh i]:not(noscript meta)"

REFRESH_MAX_S = 30
"""A page that leads on to another one later is meant to be read."""

_NUMBER = re.compile(r"[1-9][\d.,]{0,20}")

_REFRESH = re.compile(r"\s*(\d+)[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
"""Seconds and URL of a refresh (HTML, section 4.2.5.3)."""

CAPTCHAS = (
    "form#challenge-form, form#captcha-form, #cf-challenge-running, #challenge-stage"
    ", .cf-turnstile, .g-recaptcha:not([data-size=invisible]), #px-captcha"
    ", .h-captcha:not([data-size=invisible])"
    ", iframe[src*='challenges.cloudflare.com'], iframe[src*='captcha-delivery.com']"
    ", iframe[src*='hcaptcha.com']:not([src*='size=invisible'])"
    ", iframe[src*='/recaptcha/']:not([src*='size=invisible'])"
)
"""The widgets and forms of the usual CAPTCHAs; invisible ones judge visitors of ordinary pages."""

ENTRIES = (
    "input:not([type=hidden i]):not([type=submit i]):not([type=button i]):not([type=checkbox i])"
    ":not([name*=captcha i]), select, textarea:not([name*=captcha i]):not([name*=-response i])"
)
"""The fields of forms that have a purpose of their own; those of a CAPTCHA have its name."""

SAYS_LOADING = (
    "the page says that it is loading although nothing is; its style sheets may hide that text"
)

EMPTY_MAIN = (
    "The main part of the page is empty. If it should show something, read the page again with "
    "wait_for and a text of it."
)

FRAMES_LEFT = (
    "The page has frames that were not read. To read one, browse its URL, which the page has as a "
    "link."
)

FRAMES_TOO_DEEP = (
    "The page has frames in more than {levels} others, which were not read. To see them, take a "
    "screenshot."
)

BARE_SECTIONS = (
    "Sections of the page have a heading and nothing else: it fills them when they are scrolled "
    "into view. Read it with scroll."
)

EMPTY_PANELS = (
    "The panel of the tab “{label}” is empty: a click on the tab can fill it. To read it, open the "
    "page in a session and click the tab."
)
COUNTS_UP = "The page shows 0 where its scripts count up to a number: {numbers}."
STAYS_LIVE = (
    "The page receives messages over an open connection: more can come. To wait for that, read it "
    "with wait_for and a text that it should show."
)

MAIN_HIDDEN = (
    "The page shows “{text}” in place of its main part, which is hidden, for example until "
    "something is clicked. Its main part is read all the same."
)
COVERED = (
    "A dialog seems to cover the page: “{text}”. If the content is missing, open the page in a "
    "session and answer the dialog there."
)

DIALOG_SHARE = 2
"""The rest of a page that a dialog covers is at most so many times as long."""

LEADS_ON = "The page leads on to {url} after {delay_s} s."


@attrs.frozen
class Judgement:
    """The judgement of a page: whether it shows less than it could, and why.

    Attributes:
        lacking: why the next tier would show more; empty if it would not.
        is_captcha: whether it refuses the visit, or has nothing but a CAPTCHA to show; forms with a
            CAPTCHA of their own, for example log-ins, are pages like others.
        notice: what is missing although the tier is enough; empty for nothing.
        may_be_filled: whether its scripts may fill an empty part of it a moment later.
    """

    lacking: str
    is_captcha: bool = False
    notice: str = ""
    may_be_filled: bool = False


def judged(source: PageSource, tier: Tier) -> Judgement:
    """Judge a page as `tier` has read it."""
    document = parsed(source)
    has_captcha = document.css_matches(CAPTCHAS)
    refuses = source.page.status in REFUSALS
    may_be_alone = has_captcha and not document.css_matches(ENTRIES)
    delay_s, target = _refresh(source, document)
    notice = LEADS_ON.format(url=target, delay_s=delay_s) if target else _frames_left(document)
    notice = notice or _hidden_main(document)
    if not notice and "IntersectionObserver" in source.html and _has_bare_sections(document):
        notice = BARE_SECTIONS
    notice = notice or _empty_panels(document) or _uncounted(document)
    lacking = ""
    may_be_filled = False
    rendered = None
    match tier:
        case 1:
            page = StaticPage(document)
            lacking = next(page.signs_of_more(), "")
            if not lacking and target and not delay_s:
                lacking = "it leads on to another page at once"
            if not lacking and page.is_view_of_scripts(source.page.url):
                lacking = "its scripts show what the fragment of its URL names"
            notice = notice or page.unfilled_parts()
            if not notice and page.has_own_frame(source.page.url):
                notice = FRAMES_LEFT
        case 2 | 3:
            rendered = RenderedPage(document)
            may_be_filled = rendered.may_be_filled()
            has_main = not has_empty_main(document)
            is_last = tier == max(get_args(Tier))
            lacking = "" if is_last else _lacking_in_tab(source, rendered, has_main=has_main)
            notice = notice or ("" if has_main or not is_last else EMPTY_MAIN)
            notice = notice or rendered.empty_part()
            if source.load_state is LoadState.STALLED:
                notice = rendered.waiting_text()
    notice = notice or _covering_dialog(document)
    if not notice and source.is_live and shown_characters(document) < SHORT_CHARACTERS:
        notice = STAYS_LIVE
    is_alone = may_be_alone and shown_characters(document) < THIN_CHARACTERS
    if not notice and rendered and source.page.status < ERROR_STATUS_MIN:
        notice = rendered.little_text()
    return Judgement(lacking, has_captcha and (refuses or is_alone), notice, may_be_filled)


def _lacking_in_tab(source: PageSource, page: RenderedPage, *, has_main: bool) -> str:
    """Return why a tab that loads everything would show more."""
    if source.load_state is LoadState.STALLED:
        return SAYS_LOADING if page.has_style_sheets else ""
    if source.load_state is LoadState.LOADING:
        return ""
    if not has_main:
        return NO_MAIN
    shown = page.shown
    if shown >= EMPTY_CHARACTERS or (shown and not BUILDERS.search(source.html)):
        return ""
    return f"before everything is loaded, the page shows {shown} characters"


def _refresh(source: PageSource, document: LexborHTMLParser) -> tuple[int, str]:
    """Return when and where a page leads on by itself; no URL if it does not, or to itself."""
    node = document.css_first(REFRESHES)
    text = (node.attributes.get("content") if node else "") or source.page.refresh
    match = _REFRESH.fullmatch(text)
    if match is None or int(match[1]) > REFRESH_MAX_S:
        return 0, ""
    addresses = Addresses.of(document, source.page.url)
    target = addresses.loaded(match[2].strip().strip("\"'"))
    own = source.page.url.partition("#")[0]
    return int(match[1]), "" if target.partition("#")[0] == own else target


def _has_bare_sections(document: LexborHTMLParser) -> bool:
    """Return whether several sections have a heading and nothing else."""
    hidden = Surroundings(is_hidden)
    bare = (
        heading
        for heading in document.css(SECTIONS)
        if own_text(heading)
        and heading.parent is not None
        and len(list(islice(heading.parent.iter(), 2))) == 1
        and heading.parent.text(deep=False).strip() == ""
        and not hidden.include(heading)
    )
    return len(list(islice(bare, BARE_SECTIONS_MIN))) == BARE_SECTIONS_MIN


def _empty_panels(document: LexborHTMLParser) -> str:
    """Return a notice of a panel without content whose tab is not selected; empty for none."""
    tabs = {tab.attributes.get("aria-controls"): tab for tab in document.css(TABS)}
    for panel in document.css("[id]") if tabs else ():
        tab = tabs.get(panel.id)
        if tab is not None and shows_nothing(panel) and (label := " ".join(tab.text().split())):
            return EMPTY_PANELS.format(label=shortened(label))
    return ""


def _uncounted(document: LexborHTMLParser) -> str:
    """Return a notice of the numbers that are 0 until a script counts up to them."""
    counters = document.css(", ".join(f"[{name}]" for name in COUNTS))
    numbers = [
        number
        for node in counters
        if own_text(node) == "0"
        for number in map(node.attributes.get, COUNTS)
        if number and _NUMBER.fullmatch(number)
    ]
    return COUNTS_UP.format(numbers=", ".join(numbers[:NAMED_MAX])) if numbers else ""


def _hidden_main(document: LexborHTMLParser) -> str:
    """Return a notice of what is shown in place of a hidden main element; empty for none."""
    main, body = hidden_main(document), document.body
    text = visible_text(body) if main is not None and body is not None else ""
    return MAIN_HIDDEN.format(text=shortened(text)) if text else ""


def _covering_dialog(document: LexborHTMLParser) -> str:
    """Return a notice of a dialog on a page that shows little else; empty for none."""
    if not document.css_matches(DIALOGS):
        return ""
    shown, dialogs = shown_characters(document), open_dialogs(document)
    length = sum(map(characters_in, dialogs))
    is_over = shown - length < min(THIN_CHARACTERS, DIALOG_SHARE * length)
    text = " ".join(dialogs[0].text(separator=" ").split()) if is_over else ""
    return COVERED.format(text=shortened(text)) if text else ""


def _frames_left(document: LexborHTMLParser) -> str:
    """Return a notice of frames that no tier reads; empty if there are none."""
    if any(map(is_content_frame, document.css(OTHER_FRAMES))):
        return FRAMES_LEFT
    is_too_deep = document.css_matches(NESTED_FRAMES)
    return FRAMES_TOO_DEEP.format(levels=FRAME_DEPTH_MAX) if is_too_deep else ""
