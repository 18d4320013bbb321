"""Elements that shadow properties of a form, the document or the window, in a real Chromium.

A form's fields hide its own properties, and the names of images and forms those of the document
(HTML, [LegacyOverrideBuiltIns]). An element's id is a name in the global scope (HTML, "named access
on the Window object"), in every world. Every answer is compared with that of a page with other
names.
"""

import re

import pytest

from tabwright import ReadOptions
from tabwright.mcp.tools.run_steps import read_steps
from tabwright.page.render import outline_text
from tabwright.plugins.devtools.verify import GenerateLocators, ReadElement
from tabwright.protocol.actions import (
    Click,
    Drag,
    FieldValue,
    Fill,
    Hover,
    Press,
    RunSteps,
    Scroll,
    SelectOption,
    SelectText,
    Type,
    Upload,
    WaitFor,
)
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.inspection import Capture, TakeOutline
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.sessions import FormChoice, Sessions
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

PROPERTIES = """
const names = new Set(['host', 'getElementById', 'elementFromPoint', 'activeElement']);
for (const kind of [HTMLFormElement, HTMLInputElement, HTMLSelectElement, HTMLAnchorElement])
  for (let one = kind.prototype; one !== Object.prototype; one = Object.getPrototypeOf(one))
    for (const name of Object.getOwnPropertyNames(one)) names.add(name);
[...names]"""

DOCUMENT_PROPERTIES = """
const names = new Set();
for (let one = HTMLDocument.prototype; one !== Object.prototype; one = Object.getPrototypeOf(one))
  for (const name of Object.getOwnPropertyNames(one)) names.add(name);
[...names]"""

ORDER = (
    "<p>Words</p><label>Name <input id=a></label><select id=b aria-label=Size><option>A<option>B"
    "</select><button type=button>Send</button><details open><summary>More</summary>x</details>"
    "<ul><li>1<li>2</ul>"
)

FORMS = (
    ("id=order aria-label=Order title=Tip data-testid=order", ORDER),
    ("id=press tabindex=0 role=button", "Press me"),
    ("id=edit contenteditable", "Edit me"),
    ("class=card style='cursor: pointer'", "<b>One</b><b>Two</b>"),
    ("role=listbox", "Box"),
    ("role=textbox tabindex=0", "Text"),
    ("role=checkbox tabindex=0", "Check"),
    ("role=combobox tabindex=0", "Combo"),
    ("role=slider tabindex=0", "Slide"),
    ("role=img", "Picture"),
    ("role=heading aria-level=2", "Heading"),
    ("draggable=true", "Drag me"),
)

TARGETS = (
    "role=form[name=Order]",
    "text=Words",
    "testid=order",
    "css=#press",
    "css=#edit",
)


def page_with_fields(names, prefix):
    fields = "".join(f'<input name="{prefix}{name}" hidden>' for name in names)
    return "".join(f"<form {start}>{content}{fields}</form>" for start, content in FORMS)


def page_with_images(names, prefix):
    images = "".join(f'<img name="{prefix}{name}" alt="" hidden>' for name in names)
    return f"<form id=order aria-label=Order>{ORDER}</form><div id=press>Press</div>{images}"


async def answer(agent, request):
    try:
        got = await agent.ask(request)
    except TabwrightError as refusal:
        got = refusal
    if isinstance(request, Capture):
        got = (got.width, got.height) if hasattr(got, "width") else got
    if isinstance(request, TakeOutline):
        got = outline_text(got)
    return re.sub(r"\b\d+\.\d+\b|shot\d+|\bz_|127\.0\.0\.1:\d+|document=\d+", "", str(got))


async def answers(agent, html, targets):
    await agent.show(html)
    got = {"outline": await agent.see(boxes=True)}
    for target in targets:
        requests = (
            Click(target),
            Hover(target),
            Scroll("element", ref=target),
            SelectText(target),
            Type(target, "hello"),
            Press("Tab", ref=target),
            SelectOption(target, ("A",)),
            Upload(target, (__file__,)),
            Drag(target, "css=#press"),
            Capture(ref=target),
            TakeOutline(ref=target),
            ReadElement(target),
            GenerateLocators(target),
            *(
                RunSteps(read_steps([{"do": "read", "ref": target, "as": "x", "what": what}]))
                for what in ("text", "value", "href", "count")
            ),
        )
        for request in requests:
            got[target, str(request)[:60]] = await answer(agent, request)
    for request in (
        Capture(marks=True),
        WaitFor(text="Words", seconds=1),
        Fill((FieldValue("css=#a", "Eve"),)),
    ):
        got[str(request)[:60]] = await answer(agent, request)
    got["outline"] = re.sub(r"\b\d+\.\d+\b", "", got["outline"])
    return got


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("properties", "page", "targets"),
    [
        (PROPERTIES, page_with_fields, TARGETS),
        (DOCUMENT_PROPERTIES, page_with_images, ("css=#order", "label=Name", "text=Words")),
    ],
    ids=["form", "document"],
)
async def test_elements_named_like_dom_properties_change_no_answer(
    agent, properties, page, targets, seed
):
    await agent.show("<p>Names</p>")
    names = await agent.value(properties)
    expected = await answers(agent, page(names, "z_"), targets[seed::4])
    got = await answers(agent, page(names, ""), targets[seed::4])
    assert got == expected


async def test_form_whose_fields_hide_its_properties_is_read_and_submitted(agent):
    agent.stand.put("/sent", "<h1>Sent</h1>")
    await agent.show("<p>Names</p>")
    names = await agent.value(PROPERTIES)
    fields = "".join(f"<input name={name} value=x hidden>" for name in names)
    images = "".join(f"<img name={name}>" for name in ("querySelectorAll", "createTreeWalker"))
    await agent.show(f"<form id=order action=/sent><input name=q>{fields}</form>{images}")
    ask = agent.tabwright.parts.sessions.ask
    await ask(Sessions.fill, "s", FormChoice(id="order"), {"q": "Eve"})
    page = await ask(Sessions.submit, "s", FormChoice(id="order"), RenderOptions())
    assert "Sent" in page.text


GLOBALS = ("tabwright", "tabwrightClosed", "tabwrightScrolled", "tabwrightMemory", "axe")

NAMED = (
    "<div id={}></div>",
    "<form id={} hidden><input name=number><input name=roots><input name=run></form>",
    "<img name={} alt='' hidden>",
    "<iframe name={} src=/empty hidden></iframe>",
)

CLOSED_ROOT = (
    "<script>document.querySelector('x-box').attachShadow({mode: 'closed'})"
    ".innerHTML = '<button>In a closed root</button>'</script>"
)


@cases("named", NAMED)
async def test_page_with_elements_named_like_our_globals_is_read_and_used(agent, named):
    elements = "".join(map(named.format, GLOBALS))
    inside = f"{elements}<p>Words inside</p><label>City <input></label><button>Go</button>"
    agent.stand.put("/empty", "")
    agent.stand.put("/frame", f"{inside}<x-box></x-box>{CLOSED_ROOT}")
    await agent.show(
        f"{elements}<p>Words</p><label>Name <input></label><button onclick=note('sent')>Send"
        f"</button><x-box></x-box>{CLOSED_ROOT}<iframe src=/frame width=400 height=300></iframe>"
    )
    outline = await agent.see()
    assert outline.count("In a closed root") == 2
    await agent.type("Name", "Eve")
    await agent.click("Send")
    await agent.type("City", "Rome")
    await agent.click("Go")
    assert await agent.notes() == ["sent"]
    outline = await agent.see()
    assert "Eve" in outline
    assert "Rome" in outline
    options = ReadOptions(min_tier=2, scroll=True)
    page = await agent.tabwright.read(agent.stand.url("/"), options)
    assert page.text.count("In a closed root") == 2
    assert "Words inside" in page.text


async def test_page_with_scrolling_form_whose_fields_hide_its_properties_is_scrolled(agent):
    await agent.show("<p>Names</p>")
    names = await agent.value(PROPERTIES)
    fields = "".join(f"<input name={name} hidden>" for name in names)
    rows = "".join(f"<form><b>Row {number}</b>{fields}</form>" for number in range(10))
    style = "style='height: 200px; overflow: auto'"
    await agent.show(
        f"<div>{rows}</div><form {style}>{fields}<p id=last style='margin-top: 900px'>Last</p>"
        "</form><script>const shown = () => { last.textContent = 'Seen' };"
        "new IntersectionObserver(([one]) => one.isIntersecting && shown()).observe(last)</script>"
    )
    options = ReadOptions(min_tier=2, scroll=True)
    page = await agent.tabwright.read(agent.stand.url("/"), options)
    assert "Seen" in page.text
    assert "Row 9" in page.text
