"""A small web for simulated worlds: news, a shop, engines, some of which ask who is there."""

from random import Random

from tabwright.testing.fake import (
    FakeAnswer,
    FakeBarrier,
    FakeControl,
    FakeDialog,
    FakePage,
    FakeSite,
)

ARTICLE_URL = "https://news.example/article"
REFUSED_URL = "https://down.example/"
SHOP_URL = "https://shop.example/"
PAID_URL = "https://paid.example/"
ENGINE_URLS = {
    "mojeek": "https://www.mojeek.com/search?q=q",
    "ecosia": "https://www.ecosia.org/search?q=q",
}
"""The first result pages of engines, for the query "q"."""

WALL = '<html><body><form id="challenge-form">Who are you?</form></body></html>'

CONTROLS = (
    FakeControl("Buy", shows="Sold"),
    FakeControl("Ask", asks=FakeDialog("confirm", "Sure?"), shows="Yes"),
    FakeControl("Open", opens=PAID_URL),
    FakeControl("Leave", "link", leads_to=PAID_URL),
    FakeControl("Name", "textbox"),
)
"""The controls of the shop."""


def small_web(random: Random) -> FakeSite:
    """A web on which some sites show CAPTCHAs, which the person solves, or never does."""
    mojeek = result_page("mojeek", "a", "b")
    return FakeSite(
        pages={
            ARTICLE_URL: FakePage(
                "<html><body><main><h1>News</h1><p>Text.</p></main></body></html>"
            ),
            SHOP_URL: FakePage("<title>Shop</title>", says=("Welcome",), controls=CONTROLS),
            PAID_URL: FakePage("<title>Paid</title>", says=("Thanks",), load_s=0.5),
            REFUSED_URL: FakePage(error="net::ERR_CONNECTION_REFUSED"),
            ENGINE_URLS["mojeek"]: FakePage(mojeek, barrier=_barrier(random), barrier_html=WALL),
            f"{ENGINE_URLS['mojeek']}&s=10": FakePage(result_page("mojeek", "c")),
            f"{ENGINE_URLS['mojeek']}&s=20": FakePage(result_page("mojeek")),
            ENGINE_URLS["ecosia"]: FakePage(
                result_page("ecosia", "b"), status=random.choice((200, 200, 403, 500))
            ),
        },
        answer=FakeAnswer(
            paragraphs=("One.", "Two.", "Three."), sources=(("News", ARTICLE_URL),), step_s=0.4
        ),
        barrier=_barrier(random),
    )


def result_page(engine: str, *names: str) -> str:
    """A page of an engine that lists these sites."""
    if engine == "mojeek":
        items = "".join(
            f'<li><a class="ob" href="https://{name}.example/">x</a><h2><a class="title" '
            f'href="https://{name}.example/">{name}</a></h2><p class="s">About {name}.</p></li>'
            for name in names
        )
        return f'<html><body><ul class="results-standard">{items}</ul></body></html>'
    items = "".join(
        f'<article data-test-id="mainline-result-web"><a data-test-id="result-link" '
        f'href="https://{name}.example/"><h2 class="result-title__heading">{name}</h2></a>'
        f'<p class="result__description">About {name}.</p></article>'
        for name in names
    )
    return f"<html><body>{items}</body></html>"


def wall(solved_after_s: float | None, html: str = "") -> FakePage:
    """A CAPTCHA before a page; see `FakeBarrier`."""
    barrier = FakeBarrier("captcha", solved_after_s)
    return FakePage(html, barrier=barrier, barrier_html=WALL)


def _barrier(random: Random) -> FakeBarrier | None:
    if random.choice((True, True, False)):
        return None
    return FakeBarrier("captcha", random.choice((None, 0.0, 5.0, 15.0)))
