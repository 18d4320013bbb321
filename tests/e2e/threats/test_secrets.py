"""Canaries in every secret place, and a search for them in all output (threat T16)."""

import base64
import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from tabwright.cdp.websocket import EndpointUnreachable, websocket_url
from tabwright.testing.demo import text_of
from tabwright.testing.replica.server import html

pytestmark = pytest.mark.chromium

COOKIE = "c00kie/Canary+of mine="
TYPED = 'typed/Canary "of" mine & w\u00f6rd'

AS_URI = ";,/?:@&=+$-_.!~*'()#"
"""What encodeURI leaves as it is."""

KEPT = COOKIE[::-1]

PAGE = f"""<!doctype html><title>In</title><link rel=icon href=data:,>
<form action="/in" method=post><label>Word <input name=word></label><button>Send</button></form>
<script>
  localStorage.kept = '{KEPT}'.split('').reverse().join('');
</script>"""

SAYING = """<!doctype html><title>Said</title><link rel=icon href=data:,>
<input aria-label=Word oninput="
  out.textContent = value; document.title = value; console.error(value);
  fetch('/seen?' + encodeURIComponent(value)); history.replaceState(0, '', '#' + value)">
<p id=out></p><button onclick="throw new Error(out.textContent)">Fail</button>
<button onclick="alert(out.textContent)">Alert</button>"""


def spellings(secret: str) -> Iterator[str]:
    yield from codings(secret)
    for shift in range(3):  # wherever it begins in what is encoded
        yield encoded(b"x" * shift, secret)[4:-4]


def encoded(before: bytes, secret: str) -> str:
    return base64.b64encode(before + secret.encode()).decode()


def codings(secret: str) -> Iterator[str]:
    yield secret
    yield quote(secret)
    yield quote(secret, safe="")
    yield quote_plus(secret)
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield json.dumps(json.dumps(secret))[1:-1]
    yield escape(secret)
    yield escape(escape(secret))
    yield quote(secret, safe=AS_URI)
    yield secret.upper()


def found(secret: str, text: str) -> list[str]:
    return [spelling for spelling in spellings(secret) if spelling in text]


def test_canary_search_finds_it_in_every_encoding() -> None:
    assert found(COOKIE, f"<{encoded(b'user:', COOKIE)}>")
    assert found(TYPED, json.dumps({"a": TYPED}))
    assert not found(COOKIE, TYPED)


@pytest.fixture
def config(write_config, tmp_path: Path) -> Path:
    """A configuration that logs everything that can be logged."""
    (tmp_path / "secrets").write_text(f"WORD='{TYPED}'\n")
    return write_config(
        log={"dir": str(tmp_path / "log"), "level": "wire", "queries": True},
        acting={"secrets": str(tmp_path / "secrets"), "scripts": True},
        session={"dir": str(tmp_path / "sessions")},
    )


def logged(folder: Path) -> str:
    text = "\n".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    assert "Network.enable" in text  # the wire is in it
    return text


async def test_cookies_and_storage_never_appear_in_logs_or_answers(
    web, config, open_client, tmp_path, capfd
):
    cookie = f'word="{COOKIE}"; Path=/; HttpOnly'
    web.pages["/"] = html(PAGE, cookie=cookie)
    web.pages["/in"] = html(PAGE, status=500, cookie=cookie)
    answers: list[str] = []
    async with open_client(config) as client:

        async def call(tool: str, **arguments: object) -> None:
            answers.append(str(await client.call_tool(tool, {"session": "s", **arguments})))

        await call("browse", url=web.url("/"))
        await call("navigate", url=web.url("/"), format="outline")
        await call("fill_form", fields={"Word": "x"}, submit=True)
        await call("navigate", url=web.url("/in"))
        await call("network")
        await call("console")
        answers.append(str(await client.call_tool("session_list", {})))
        await call("session_save")
        await call("click", ref="9.9")
    output = "\n".join((*answers, logged(tmp_path / "log"), *capfd.readouterr()))
    assert [seen.cookie for seen in web.log if COOKIE in seen.cookie]
    assert COOKIE in (tmp_path / "sessions" / "s.json").read_text().replace("\\/", "/")
    assert found(COOKIE, output) == []


async def test_secret_echoed_by_page_never_appears_in_logs_or_answers(
    web, config, open_client, tmp_path, capfd
):
    web.pages["/"] = html(SAYING)
    answers: list[str] = []
    async with open_client(config) as client:

        async def call(tool: str, **arguments: object) -> str:
            result = await client.call_tool(tool, {"session": "s", **arguments})
            answers.append(str(result))
            return text_of(result)

        async def ref(name: str) -> str:
            outline = await call("snapshot", format="outline")
            line = next(line for line in outline.splitlines() if f'"{name}"' in line)
            return line.partition("[")[2].partition("]")[0].removeprefix("*")

        await call("navigate", url=web.url("/"), format="outline")
        await call("type", ref=await ref("Word"), text="{{WORD}}")
        await call("click", ref=await ref("Fail"))
        await call("click", ref=await ref("Alert"))
        await call("evaluate", script="document.title")
        await call("evaluate", script="nothing(document.title)")
        await call("snapshot", format="json")
        await call("browse", url=web.url("/"))
        for tool in ("network", "console", "tabs"):
            await call(tool)
    output = "\n".join((*answers, logged(tmp_path / "log"), *capfd.readouterr()))
    assert [seen for seen in web.log if seen.path.startswith("/seen?typed")]
    assert "{{WORD}}" in output
    assert found(TYPED, output) == []


async def test_secret_returned_by_server_in_any_encoding_is_never_exposed(
    web, config, open_client, tmp_path, capfd
):
    output = [one for one in codings(TYPED) if one != TYPED]
    output += [encoded(before, TYPED) for before in (b"", b"a:", b"ab:")]
    script = "".join(f"console.log({json.dumps(one)});" for one in output)
    script += f"localStorage.form = {json.dumps(json.dumps(TYPED))};"
    script += f"Promise.reject(Error({json.dumps(output[0])}))"
    items = "".join(f"<li>{escape(one)}" for one in output)
    page = f'<title>{escape(TYPED)}</title><input value="{escape(TYPED)}"><ul>{items}</ul>'
    cookie = f"form={quote(TYPED, safe='')}; Path=/; Max-Age=9999"
    script = script.replace("</", "<\\/")
    web.pages["/"] = html(f"{page}<script>{script}</script>", cookie=cookie)
    answers: list[str] = []
    async with open_client(config) as client:

        async def call(tool: str, **arguments: object) -> None:
            result = await client.call_tool(tool, {"session": "s", **arguments})
            assert not result.is_error
            answers.append(str(result))

        await call("navigate", url=f"{web.url('/')}?form={quote(TYPED, safe='')}", format="outline")
        await call("snapshot")
        await call("snapshot", format="forms")
        await call("console")
        await call("network")
        await call("network", body=1, max_tokens=20_000)
        await call("evaluate", script="document.body.outerHTML")
        await call("session_save")
        answers.append(str(await client.read_resource("browser://dom/state")))
    answers.append((tmp_path / "sessions" / "s.json").read_text())
    everything = "\n".join((*answers, logged(tmp_path / "log"), *capfd.readouterr()))
    assert "{{WORD}}" in answers[5]
    assert found(TYPED, everything) == []


async def test_remote_browser_token_is_not_in_connection_error():
    with pytest.raises(EndpointUnreachable) as caught:
        await websocket_url("http://me:CANARY@127.0.0.1:1/?token=CANARY")
    assert "CANARY" not in str(caught.value)
