import io
import re
import wave
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import urlsplit

import httpx2
import pytest

from tabwright.testing.replica import Replica, Scenario
from tabwright.testing.replica.site import RESOURCE_HOSTS, resource_at

Visit: TypeAlias = Callable[..., Awaitable[httpx2.Response]]

SEARCH = "https://www.google.com/search?udm=50&q=why"
GOOGLE = {"www.gstatic.com", "fonts.gstatic.com", "encrypted-tbn0.gstatic.com"}


async def test_page_resources_of_every_host_are_served(replica: Replica, visit: Visit) -> None:
    replica.scenario = Scenario(thread=1)
    html = (await visit(SEARCH)).text
    loaded = re.findall(r'(?:src="|url\("|fetch\("|sendBeacon\(")(https://[^"]+)"', html)
    assert {urlsplit(url).hostname for url in loaded} == RESOURCE_HOSTS
    for url in loaded:
        assert (await visit(url)).status_code == 200
        assert replica.log[-1].host == urlsplit(url).hostname


async def test_requests_to_third_party_hosts_are_answered(visit: Visit) -> None:
    for host in RESOURCE_HOSTS - GOOGLE:
        assert (await visit(f"https://{host}/collect", method="POST")).status_code == 200


@pytest.mark.parametrize(
    ("path", "kind", "magic"),
    [
        ("/logo.png", "image/png", b"\x89PNG"),
        ("/collect", "image/png", b"\x89PNG"),
        ("/sans.woff2", "font/woff2", b"wOF2"),
        ("/gtm.js", "text/javascript", b"window"),
    ],
)
def test_resource_type_and_content_match_its_path(path: str, kind: str, magic: bytes) -> None:
    response = resource_at(path)
    assert response.content_type == kind
    assert response.body.startswith(magic)
    assert ("Access-Control-Allow-Origin", "*") in response.headers


def test_sound_resource_is_a_valid_wave_file() -> None:
    with wave.open(io.BytesIO(resource_at("/ready.wav").body)) as sound:
        assert sound.getnframes() > 0


async def test_every_other_source_has_a_picture(replica: Replica, visit: Visit) -> None:
    replica.scenario = Scenario(thread=1, source_count=4)
    html = (await visit(SEARCH)).text
    pictured = re.findall(r'favicon\.png\?host=([^"]+)"', html)
    assert set(pictured) == {"site1.example", "ads-research.example"}


async def test_source_with_advertisement_like_url_is_served(replica: Replica, visit: Visit) -> None:
    await visit("https://www.google.com/async/folwr?q=why")
    source = replica.truth().sources[2]
    assert source.url.startswith("https://ads-research.example/doubleclick.net/")
    assert source.url.endswith("/report.png?utm=1")
    page = await visit(source.url)
    assert page.headers["content-type"].startswith("text/html")
    assert source.title in page.text
