"""Ten flows on small pages, and a mutator of those pages.

Each control of a page has the attribute ``data-note``. The pages record in the storage of their
origin what was done with which control, so that two runs can be compared.
"""

import random
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Literal, TypeAlias, get_args

import attrs
from lxml import html
from lxml.html import HtmlElement

from tabwright.protocol.actions import (
    Action,
    Click,
    FieldValue,
    Fill,
    Press,
    SelectOption,
    Type,
)

SCRIPT = """<script>
function note(event, value) {
  const noted = event.target.closest("[data-note]");
  if (!noted || noted.matches("input, textarea, select") !== (event.type === "change")) return;
  const notes = JSON.parse(localStorage.notes ?? "[]");
  localStorage.notes = JSON.stringify([...notes, noted.dataset.note + value]);
}
addEventListener("click", (event) => note(event, ""), true);
addEventListener("change", ({ target, type }) => {
  note({ target, type }, "=" + (target.type === "checkbox" ? target.checked : target.value));
}, true);
</script>"""


@attrs.frozen
class Flow:
    """Pages and the actions on them; a trap prevents the action noted as `target`."""

    name: str
    pages: Mapping[str, str]
    actions: tuple[Action, ...]
    target: str


def repeated(template: str, *rows: tuple[object, ...]) -> str:
    """Return HTML with the template filled in once for each row."""
    return "".join(template.format(*row) for row in rows)


SHOP = repeated(
    """<li class=item><h3>{0}</h3><p class=price>{1} EUR</p>
    <button data-note="buy {0}">Add to cart</button></li>""",
    ("Lamp", 10),
    ("Vase", 20),
    ("Table", 90),
    ("Chair", 45),
)
USERS = repeated(
    """<tr><td>{0}</td><td>{1}</td><td><button data-note="edit {0}">Edit</button>
    <button data-note="delete {0}">Delete</button></td></tr>""",
    ("Alice Smith", "alice@example.org"),
    ("Bob Smith", "bob@example.org"),
    ("Carol Jones", "carol@example.org"),
)
HEAD = "<thead><tr><th>Name<th>Mail<th>Actions</tr></thead>"
LOGIN = """<header><button data-note="top log in">Log in</button></header>
<main><form onsubmit="return false"><h1>Welcome back</h1>
<label>Name <input name=user data-note=user></label>
<label>Password <input type=password name=pass data-note=pass></label>
<label><input type=checkbox data-note=remember> Remember me</label>
<button data-note="log in">Log in</button></form></main>"""
ADDRESSES = repeated(
    """<fieldset><legend>{0} address</legend>
    <label>Street <input name={0}_street data-note="{0} street"></label>
    <label>Country <select data-note="{0} country">
    <option>Germany<option>Austria<option>Italy</select></label></fieldset>""",
    ("Shipping",),
    ("Billing",),
)
CHECKOUT = f"""<main><h1>Checkout</h1><form onsubmit="return false">{ADDRESSES}
<fieldset><legend>Delivery</legend>
<label><input type=radio name=way value=standard data-note=way> Standard</label>
<label><input type=radio name=way value=express data-note=way> Express</label>
<label><input type=radio name=way value=pickup data-note=way> Pickup</label></fieldset>
<button data-note=order>Place order</button></form></main>"""
PLANS = repeated(
    """<section><h2>{0}</h2><p>For {1}</p><button data-note="plan {0}">Choose</button></section>""",
    ("Free", "one person"),
    ("Team", "up to ten people"),
    ("Business", "companies"),
)
HOME = """<nav aria-label=Main><a href=/about>About</a> <a href=/prices>Prices</a></nav>
<main><h1>Hello</h1><p>Welcome.</p></main>
<footer><a href=/jobs>Jobs</a> <a href=/old-prices>Prices</a></footer>"""
LIBRARY = """<header><form action=/results role=search>
<input type=search name=q placeholder=Search data-note=q><button>Go</button></form></header>
<main><h1>Library</h1></main>"""
RESULTS = repeated(
    """<li><a href="#{0}" data-note="result {0}">{0}</a><p>{1}</p></li>""",
    ("Trio manual", "All about nurseries."),
    ("Trio blog", "News."),
    ("Curio manual", "Another library."),
)
SETTINGS = repeated(
    """<section><h2>{0}</h2>{1}<button data-note="save {0}">Save</button></section>""",
    ("Profile", "<label>Nickname <input data-note=nick></label>"),
    ("Preferences", "<button role=switch aria-checked=false data-note=dark>Dark mode</button>"),
    ("Notifications", "<label>Mail <input data-note=mail></label>"),
)
ACCOUNT = """<main><h1>Account</h1><p>Ann</p>
<section><h2>Newsletter</h2><button data-note="confirm news">Confirm</button></section>
<button data-note=remove onclick="document.querySelector('dialog').showModal()">Remove account
</button><dialog><h2>Remove the account?</h2><button data-note=cancel>Cancel</button>
<button data-note=confirm>Confirm</button></dialog></main>"""
POSTS = repeated(
    """<div class=card><div class=head><span>{0}</span> <span>{1}</span></div><div>{2}</div>
    <div class=bar><button aria-label=Like data-note="like {0}"><svg width=9></svg></button>
    <button aria-label=Share data-note="share {0}"><svg width=9></svg></button></div>
    </div>""",
    ("Ann", "2 h ago", "The garden is in bloom."),
    ("Ben", "3 h ago", "A new bridge was opened."),
    ("Cleo", "1 d ago", "Who has a recipe for soup?"),
)
REVIEW = """<main><h1>Blue lamp</h1>
<div role=tablist><button role=tab data-note="tab details">Details</button>
<button role=tab data-note="tab reviews">Reviews</button></div>
<section><h2>Write a review</h2>
<label>Your review <textarea data-note=text></textarea></label>
<label>Rating <select data-note=rating><option>1<option>2<option>3<option>4</select></label>
<button data-note=send>Send</button></section>
<section><h2>Ask a question</h2><label>Your question <textarea></textarea></label>
<button data-note=ask>Send</button></section></main>"""

FLOWS = (
    Flow(
        "shop",
        {"/": f"<main><h1>Shop</h1><ul>{SHOP}</ul></main>"},
        (Click('role=button[name="Add to cart"] >> nth=1'),),
        "buy Vase",
    ),
    Flow(
        "table",
        {"/": f"<main><h1>Users</h1><table>{HEAD}<tbody>{USERS}</tbody></table></main>"},
        (Click('role=row[name=Bob] >> role=button[name="Delete"]'),),
        "delete Bob Smith",
    ),
    Flow(
        "login",
        {"/": LOGIN},
        (
            Type("label=Name", "ann"),
            Type("label=Password", "hunter2!"),
            Click("label=Remember me"),
            Click('css=form >> role=button[name="Log in"]'),
        ),
        "log in",
    ),
    Flow(
        "checkout",
        {"/": CHECKOUT},
        (
            Fill((FieldValue("css=[name=Billing_street]", "Main Road 5"),)),
            SelectOption("label=Country >> nth=1", ("Italy",)),
            Click("label=Express"),
            Click('role=button[name="Place order"]'),
        ),
        "order",
    ),
    Flow(
        "plans",
        {
            "/": HOME,
            "/prices": f"<main><h1>Prices</h1>{PLANS}</main>",
            "/old-prices": "<main><h1>Old</h1><button data-note=old>Choose</button></main>",
        },
        (
            Click('css=nav >> role=link[name="Prices"]'),
            Click('role=button[name="Choose"] >> nth=1'),
        ),
        "plan Team",
    ),
    Flow(
        "search",
        {"/": LIBRARY, "/results": f"<main><h1>Results</h1><ol>{RESULTS}</ol></main>"},
        (
            Type("placeholder=Search", "trio", submit=True),
            Click('role=link[name="Trio manual"]'),
        ),
        "result Trio manual",
    ),
    Flow(
        "settings",
        {"/": f"<main><h1>Settings</h1>{SETTINGS}</main>"},
        (Click('role=switch[name="Dark mode"]'), Click('role=button[name="Save"] >> nth=1')),
        "save Preferences",
    ),
    Flow(
        "dialog",
        {"/": ACCOUNT},
        (
            Click('role=button[name="Remove account"]'),
            Click('role=dialog >> role=button[name="Confirm"]'),
        ),
        "confirm",
    ),
    Flow(
        "posts",
        {"/": f"<div class=page><div class=title>Hello Ben</div>{POSTS}</div>"},
        (Click('role=button[name="Like"] >> nth=1'),),
        "like Ben",
    ),
    Flow(
        "review",
        {"/": REVIEW},
        (
            Click("role=tab[name=Reviews]"),
            Type("label=Your review", "Bright."),
            SelectOption("label=Rating", ("4",)),
            Click('role=button[name="Send"] >> nth=0'),
            Press("Escape"),
        ),
        "send",
    ),
)


def tree(body: str) -> HtmlElement:
    return html.document_fromstring(f"<html><body>{body}</body></html>")


def page(root: HtmlElement) -> str:
    """Return the page as HTML, with the script that records actions."""
    body = root.find("body")
    inner = (html.tostring(child, encoding="unicode") for child in body)
    return f"<title>Page</title>{SCRIPT}{body.text or ''}{''.join(inner)}"


Trap: TypeAlias = Literal["element", "item", "decoy"]
TRAPS: tuple[Trap, ...] = get_args(Trap)


def without_target(root: HtmlElement, note: str, trap: Trap) -> HtmlElement:
    """Return a page without the element that has a note.

    Args:
        root: the page.
        note: the note of the element.
        trap: whether only the element is removed, or the whole item around it, and whether there is
            another element of the same name elsewhere.
    """
    changed = deepcopy(root)
    for element in [one for one in changed.iter() if one.get("data-note") == note]:
        if trap == "decoy":
            decoy = deepcopy(element)
            decoy.tail = None
            decoy.set("data-note", "decoy")
            section = html.fragment_fromstring("<h2>Partners</h2><p>Offers</p>", "section")
            section.append(decoy)
            changed.find("body").append(section)
        items = element.iterancestors("li", "tr", "section", "div")
        inner = [one for one in items if one.getparent().tag != "body"]
        (inner[0] if trap != "element" and inner else element).drop_tree()
    return changed


# Mutations of a page.

SHUFFLED = ("ul", "ol", "tbody", "nav", "form", "fieldset", "tr", "main", "footer")
"""Elements whose children change their order."""

FIXED = frozenset({"h1", "h2", "h3", "legend", "th", "script", "dialog", "option"})
"""Elements that stay where they are."""

WORDS = ("new", "offer", "blue", "today", "free", "city", "river", "north", "garden", "seven")

ITEMS = {"ul": "li", "ol": "li", "tbody": "tr"}


@attrs.frozen
class Mutator:
    """Mutates pages as authors might: attributes, order, wording, wrappers, tags."""

    chance: random.Random

    def mutated(self, body: str) -> HtmlElement:
        root = tree(body)
        changes: tuple[Callable[[HtmlElement], None], ...] = (
            self.rename,
            self.shuffle,
            self.add_neighbors,
            self.reword,
            self.wrap,
            self.retag,
        )
        for change in changes:
            change(root)
        return root

    def happens(self, probability: float) -> bool:
        return self.chance.random() < probability

    def words(self, count: int) -> str:
        return " ".join(self.chance.sample(WORDS, count))

    def rename(self, root: HtmlElement) -> None:
        for element in root.iter():
            if self.happens(0.8):
                element.set("class", f"c{self.chance.randrange(10**6)}")
            if element.get("name") and element.get("type") != "radio" and self.happens(0.5):
                element.set("name", f"f{self.chance.randrange(10**6)}")

    def shuffle(self, root: HtmlElement) -> None:
        for parent in list(root.iter(*SHUFFLED)):
            children = [child for child in parent if child.tag not in FIXED]
            places = [parent.index(child) for child in children]
            self.chance.shuffle(children)
            for place, child in zip(places, children, strict=True):
                parent.insert(place, child)

    def add_neighbors(self, root: HtmlElement) -> None:
        for parent in list(root.iter("ul", "ol", "tbody", "main", "div")):
            if len(parent) and self.happens(0.5):
                tag = ITEMS.get(parent.tag, "div")
                cell = "td" if tag == "tr" else "p"
                inner = f"<{cell}>{self.words(3)} {self.chance.randrange(99)}</{cell}>"
                added = html.fragment_fromstring(inner, create_parent=tag)
                parent.insert(self.chance.randrange(len(parent) + 1), added)
        for parent in list(root.iter("section", "form")):
            if self.happens(0.5):
                button = f'<button type=button data-note="extra">{self.words(2)}</button>'
                parent.append(html.fragment_fromstring(button))

    def reword(self, root: HtmlElement) -> None:
        for element in list(root.iter("p")):
            if self.happens(0.5):
                element.text = f"{element.text or ''} {self.words(1)}"
            elif self.happens(0.3):
                element.text = self.words(3)

    def wrap(self, root: HtmlElement) -> None:
        for element in list(root.iter("button", "a", "label", "p", "section", "ul", "table", "h2")):
            parent = element.getparent()
            if self.happens(0.4):
                tail, element.tail = element.tail, None
                wrapper = html.Element("span" if element.tag in {"button", "a"} else "div")
                parent.replace(element, wrapper)
                wrapper.append(element)
                wrapper.tail = tail

    def retag(self, root: HtmlElement) -> None:
        for element in list(root.iter("button")):
            if not element.get("role") and element.get("data-note") and self.happens(0.2):
                element.tag = "div"
                element.set("role", "button")
                element.set("tabindex", "0")
