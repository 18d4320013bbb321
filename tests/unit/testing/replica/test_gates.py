from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from selectolax.lexbor import LexborHTMLParser

from tabwright.testing.replica import LANGUAGES, Language, Replica, Scenario
from tabwright.testing.replica.answers import words
from tabwright.testing.replica.markup import wrapped
from tabwright.testing.replica.scenario import LinkForm

Visit: TypeAlias = Callable[..., Awaitable[httpx2.Response]]

SEARCH = "https://www.google.com/search?udm=50&q=why"
FIELDS = {"gl", "m", "pc", "continue", "x", "bl", "hl", "set_eom", "set_sc", "set_aps"}
STREAM = "https://www.google.com/async/folif?q=why%20not&hl=de"


def hidden(page: LexborHTMLParser, form: str) -> dict[str, str | None]:
    fields = page.css(f'{form} input[type="hidden"]')
    return {str(field.attributes["name"]): field.attributes["value"] for field in fields}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("button", ["W0wltc", "L2AGLb"])
async def test_consent_is_asked_for_once(
    replica: Replica, visit: Visit, language: Language, button: str
) -> None:
    replica.scenario = Scenario(consent=True)
    url = f"{SEARCH}&hl={language}"
    sent_on = await visit(url)
    assert sent_on.status_code == 302
    place = urlsplit(sent_on.headers["location"])
    assert (place.netloc, place.path) == ("consent.google.com", "/ml")
    assert parse_qs(place.query)["continue"] == [url]
    page = LexborHTMLParser((await visit(place.geturl())).text)
    form = f'form[action="https://consent.google.com/save"]:has(#{button})'
    fields = hidden(page, form)
    assert set(fields) == FIELDS
    saved = await visit("https://consent.google.com/save", method="POST", form=fields)
    assert (saved.status_code, saved.headers["location"]) == (303, url)
    assert replica.consent is None
    cookie = saved.headers["set-cookie"]
    assert cookie.startswith("SOCS=")
    assert "Domain=.google.com" in cookie
    assert "Secure" in cookie
    assert (await visit(url, cookie=cookie.partition(";")[0])).status_code == 200
    assert replica.consent == {"W0wltc": "reject", "L2AGLb": "accept"}[button]


async def test_consent_page_can_have_buttons_without_ids(replica: Replica, visit: Visit) -> None:
    replica.scenario = Scenario(consent=True, consent_ids=False)
    page = LexborHTMLParser((await visit((await visit(SEARCH)).headers["location"])).text)
    assert not page.css("[id]")
    forms = page.css('form[action="https://consent.google.com/save"]')
    assert [form.css("button")[0].text() for form in forms] == ["Reject all", "Accept all"]
    assert [form.css('[name="set_eom"]')[0].attributes["value"] for form in forms] == [
        "true",
        "false",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_captcha_blocks_search_until_it_is_solved(
    replica: Replica, visit: Visit, language: Language
) -> None:
    replica.scenario = Scenario(captcha=True)
    url = f"{SEARCH}&hl={language}"
    sent_on = await visit(url)
    assert sent_on.status_code == 302
    sorry = await visit(sent_on.headers["location"])
    assert sorry.status_code == 429
    page = LexborHTMLParser(sorry.text)
    assert page.css("html")[0].attributes["lang"] == language
    assert page.css("title")[0].text() == url
    assert words(language).page.sorry_text in page.text()
    assert page.css('form#captcha-form[action="index"][method="post"]')
    assert page.css("div#recaptcha.g-recaptcha[data-sitekey][data-s][data-callback=submitCallback]")
    fields = hidden(page, "#captcha-form")
    index = "https://www.google.com/sorry/index"
    unsolved = await visit(index, method="POST", form=fields)
    assert urlsplit(unsolved.headers["location"]).path == "/sorry/index"
    solved = await visit(index, method="POST", form={**fields, "g-recaptcha-response": "x"})
    assert solved.headers["location"] == url
    cookie = solved.headers["set-cookie"].partition(";")[0]
    assert cookie.startswith("GOOGLE_ABUSE_EXEMPTION=")
    assert "Max-Age=" in solved.headers["set-cookie"], "a profile keeps it"
    assert (await visit(url, cookie=cookie)).status_code == 200


async def test_captcha_frame_accepts_only_trusted_clicks(visit: Visit) -> None:
    frame = (await visit("https://www.google.com/recaptcha/anchor?hl=de")).text
    assert "Ich bin kein Roboter" in frame
    assert "isTrusted" in frame
    picture = LexborHTMLParser(frame).css("img")[0].attributes["src"]
    assert (await visit(picture)).headers["content-type"] == "image/png"


async def test_captcha_scenario_redirects_a_follow_up_to_the_captcha(
    replica: Replica, visit: Visit
) -> None:
    replica.scenario = Scenario(captcha=True)
    sent_on = urlsplit((await visit(STREAM)).headers["location"])
    assert sent_on.path == "/sorry/index"
    assert parse_qs(sent_on.query)["continue"] == [
        "https://www.google.com/search?udm=50&q=why+not&hl=de-DE"
    ]


async def test_captcha_after_scenario_redirects_after_that_many_answers(
    replica: Replica, visit: Visit
) -> None:
    replica.scenario = Scenario(step_s=0, captcha_after=2)
    first = await visit(SEARCH)
    browser = first.headers["set-cookie"].partition(";")[0]
    for _ in range(2):
        assert (await visit(STREAM, cookie=browser)).status_code == 200
    for url in (SEARCH, STREAM):
        sent_on = await visit(url, cookie=browser)
        assert sent_on.status_code == 302
        assert urlsplit(sent_on.headers["location"]).path == "/sorry/index"
    assert (await visit(SEARCH, cookie=f"{browser}; GOOGLE_ABUSE_EXEMPTION=1")).status_code == 200
    assert len([seen for seen in replica.log if seen.path.startswith("/async/")]) == 3
    with pytest.raises(LookupError):
        replica.truth(2)


async def test_captcha_after_scenario_counts_each_browser_separately(
    replica: Replica, visit: Visit
) -> None:
    replica.scenario = Scenario(step_s=0, captcha_after=1)
    one, two = [(await visit(SEARCH)).headers["set-cookie"].partition(";")[0] for _ in range(2)]
    assert one != two
    await visit(STREAM, cookie=one)
    assert (await visit(SEARCH, cookie=one)).status_code == 302
    assert (await visit(SEARCH, cookie=two)).status_code == 200
    assert "set-cookie" not in (await visit(SEARCH, cookie=two)).headers
    replica.scenario = Scenario(step_s=0, captcha_after=1)
    assert (await visit(SEARCH, cookie=one)).status_code == 200


@pytest.mark.parametrize("url", [SEARCH, STREAM])
async def test_rate_limited_page_has_no_form(replica: Replica, visit: Visit, url: str) -> None:
    replica.scenario = Scenario(rate_limited=True)
    blocked = await visit(url)
    assert blocked.status_code == 429
    page = LexborHTMLParser(blocked.text)
    assert page.css("title")[0].text() == "Sorry..."
    assert not page.css("form")


async def test_the_script_check_leads_back_to_the_search(replica: Replica, visit: Visit) -> None:
    replica.scenario = Scenario(script_check=True)
    check = LexborHTMLParser((await visit(SEARCH)).text)
    refresh = str(check.css("noscript meta[http-equiv=refresh]")[0].attributes["content"])
    path = refresh.partition("url=")[2]
    assert path.startswith("/httpservice/retry/enablejs?sei=")
    script = LexborHTMLParser((await visit(f"https://www.google.com{path}")).text)
    onward = script.css("a")[0].attributes["href"]
    assert onward == "/search?udm=50&q=why&emsg=SG_REL"
    page = await visit(f"https://www.google.com{onward}")
    assert "aim-mars-turn-root" in page.text


async def test_gates_come_in_order_consent_captcha_rate_limit(
    replica: Replica, visit: Visit
) -> None:
    replica.scenario = Scenario(consent=True, captcha=True, rate_limited=True)
    assert "consent.google.com" in (await visit(SEARCH)).headers["location"]
    assert "/sorry/" in (await visit(SEARCH, cookie="SOCS=1")).headers["location"]
    both = "SOCS=1; GOOGLE_ABUSE_EXEMPTION=1"
    assert (await visit(SEARCH, cookie=both)).status_code == 429


@pytest.mark.parametrize("form", ["url", "goto"])
async def test_a_wrapped_link_leads_to_its_target(visit: Visit, form: LinkForm) -> None:
    target = "https://site1.example/en-US/1/1?from=ai&part=a%20b"
    opened = await visit(f"https://www.google.com{wrapped(target, form)}")
    assert (opened.status_code, opened.headers["location"]) == (302, target)
