"""Traces, heap snapshots, styles and accessibility audits, over MCP, on Chromium."""

import json
import re
from io import BytesIO

import pytest
import trio
from PIL import Image

from tabwright.testing.replica.server import ServerResponse

pytestmark = pytest.mark.chromium

HEAD = "<link rel=stylesheet href=/slow.css>"
BODY = """<h1 id=top class=big style="color: red">A large headline of the page</h1>
<p id=late>Text</p><button>Press</button><img src=/picture.png>
<script>
  document.querySelector("button").onclick = () => {
    const end = performance.now() + 300; while (performance.now() < end);
  };
  setTimeout(() => {
    const bar = document.createElement("div");
    bar.style.height = "300px";
    document.body.prepend(bar);
  }, 100);
</script>"""
CSS = """h1 { margin: 3px }
@media screen {
  .big { font-size: 40px; margin: 5px }
}"""


@pytest.fixture
async def outline(site, call) -> str:
    async def slow(exchange):
        await trio.sleep(0.2)
        await exchange.answer(ServerResponse(CSS.encode(), content_type="text/css"))

    site.put("/", f"<html lang=en>{HEAD}{BODY}")
    site.pages["/slow.css"] = slow
    return await call("navigate", url=site.url(), format="outline")


def ref_of(outline: str, name: str) -> str:
    line = next(line for line in outline.splitlines() if name in line and "[" in line)
    return re.search(r"\[\*?([\d.]+)\]", line)[1]


async def test_web_vitals_of_the_page_load_are_measured_and_explained(call, outline):
    await trio.sleep(0.5)
    shown = await call("performance")
    for vital in ("LCP", "FCP", "TTFB", "CLS"):
        assert re.search(rf"{vital} [\d.]+", shown), shown
    assert "blocks rendering" in shown
    assert "slow.css" in shown
    assert "h1#top" in shown
    assert "INP" not in shown


async def test_slow_response_to_an_action_is_measured(call, outline):
    await call("click", ref=ref_of(outline, "Press"))
    shown = await call("performance")
    assert int(re.search(r"INP (\d+) ms", shown)[1]) >= 300
    assert "INP" not in await call("performance", reload=True)


async def test_trace_of_a_reload_is_saved_for_devtools(site, call, outline, tmp_path):
    shown = await call("performance", trace_s=0.5, reload=True)
    assert "LCP" in shown
    trace = json.loads((tmp_path / "downloads" / "trace.json").read_text())
    urls = {one.get("args", {}).get("data", {}).get("url") for one in trace["traceEvents"]}
    assert site.url("/slow.css") in urls
    await call("performance", trace_s=0.1, filename="again.json")
    assert json.loads((tmp_path / "downloads" / "again.json").read_text())["traceEvents"]
    assert len(site.seen("/slow.css")) >= 2


async def test_phases_of_the_largest_image_and_long_scripts_are_reported(site, call):
    async def picture(exchange):
        await trio.sleep(0.3)
        image = BytesIO()
        Image.effect_noise((600, 400), 80).save(image, "PNG")
        await exchange.answer(ServerResponse(image.getvalue(), content_type="image/png"))

    site.pages["/large.png"] = picture
    site.put(
        "/",
        "<p>Text<img src=/large.png><script>function spin() "
        "{ const end = performance.now() + 200; while (performance.now() < end); }"
        "setTimeout(spin, 500)</script>",
    )
    await call("navigate", url=site.url(), format="outline")
    await trio.sleep(1)
    shown = await call("performance")
    loading = int(re.search(r"loading its image (\d+) ms", shown)[1])
    assert 250 <= loading < 2000
    assert re.search(r"spin runs for [12]\d\d ms", shown)


async def test_heap_snapshots_are_saved_and_compared_by_class(site, call, tmp_path):
    site.put(
        "/",
        "<button>Leak</button><script>class Leaky {}; const kept = [];"
        "document.querySelector('button').onclick = () => "
        "{ for (let i = 0; i < 500; i++) kept.push(new Leaky()); }</script>",
    )
    shown = await call("navigate", url=site.url(), format="outline")
    before = await call("heap_snapshot", filename="before.heapsnapshot")
    assert "bytes" in before
    heap = json.loads((tmp_path / "downloads" / "before.heapsnapshot").read_text())
    assert heap["snapshot"]["node_count"] > 1000
    await call("click", ref=ref_of(shown, "Leak"))
    after = await call("heap_snapshot", compare="before.heapsnapshot")
    assert "Leaky: +500 objects" in after
    await call.refused("heap_snapshot", compare="missing.heapsnapshot")
    (tmp_path / "downloads" / "other.json").write_text("{}")
    await call.refused("heap_snapshot", compare="other.json")


async def test_problems_that_the_browser_has_found_are_listed(site, call):
    csp = (("Content-Security-Policy", "img-src 'none'"),)
    site.pages["/"] = ServerResponse(b"<title>Up</title><img src=/a.png><p>Up", headers=csp)
    await call("navigate", url=site.url(), format="outline")
    shown = await call("console", issues=True)
    assert "QuirksMode: " in shown
    assert re.search(r"ContentSecurityPolicy: .*a\.png", shown)
    await call("navigate", url="reload", format="outline")
    assert "img-src" in await call("console", issues=True)


async def test_page_without_problems_has_no_issues(site, call):
    site.put("/", "<!doctype html><title>Fine</title><p>Text")
    await call("navigate", url=site.url(), format="outline")
    assert "(No issues.)" in await call("console", issues=True)


async def test_picture_with_a_file_name_is_saved_and_not_returned(call, outline, tmp_path):
    shown = await call.client.call_tool("screenshot", {"filename": "page.png"})
    assert not shown.is_error
    assert [part.type for part in shown.content] == ["text"]
    saved = tmp_path / "downloads" / "page.png"
    with Image.open(saved) as picture:
        assert picture.format == "PNG"
    await call.refused("screenshot", filename="..")
    await call.refused("screenshot", filename="page.png", format="webp")


async def test_styles_have_computed_values_and_rules_with_their_places(site, call, outline):
    shown = await call("inspect", ref="h1", properties=["font-size", "color"])
    assert "font-size: 40px;" in shown
    assert "color: rgb(255, 0, 0);" in shown
    assert "style attribute { color: red; }" in shown
    assert re.search(r"@media screen \.big \{ font-size: 40px; margin: 5px; \}.*slow.css:3", shown)
    assert shown.index(".big") < shown.index("h1 { margin: 3px; }")
    await call.refused("inspect", ref="9.999")


@pytest.mark.smoke
async def test_accessibility_audit_lists_violations_and_filters_by_tag(call, outline):
    shown = await call("accessibility_audit")
    assert "image-alt" in shown
    assert "img" in shown
    assert "rules are violated" in shown
    assert await call.value("typeof axe") == '"undefined"'
    only = await call("accessibility_audit", tags=["wcag2aaa"])
    assert "image-alt" not in only
    await call.refused("accessibility_audit", tags=['"'])


async def test_accessibility_audit_works_under_csp_and_beside_an_element_called_axe(
    site, open_caller
):
    csp = (("Content-Security-Policy", "script-src 'none'"),)
    site.pages["/"] = ServerResponse(b"<title>Up</title><p id=axe>Up<img src=up.png>", headers=csp)
    async with open_caller() as call:
        await call("navigate", url=site.url(), format="outline")
        assert "image-alt" in await call("accessibility_audit")
