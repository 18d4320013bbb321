"""Detecting crawler traps, and parts of a site that only look like traps."""

from calendar import TextCalendar
from itertools import product

from tabwright.plugins.crawl.traps import CLOSED_MAX, FRUITLESS_MAX, TrapDetector, words_of

MANY = 2 * FRUITLESS_MAX


def test_calendar_is_closed_although_each_month_differs() -> None:
    traps = TrapDetector()
    for number in range(120):
        year, month = 2020 + number // 12, number % 12 + 1
        url = f"https://a.example/cal/{year}-{month:02}"
        traps.take(url, "cal", TextCalendar().formatmonth(year, month), leads_on=False)
    assert traps.is_closed("cal")


def test_pages_from_a_template_with_a_number_stay_open() -> None:
    traps = TrapDetector()
    for number in range(MANY):
        text = f"Product {number}\nPrice: {number * 3}\nBuy it now."
        traps.take(f"https://a.example/item/{number}", "item", text, leads_on=False)
    assert not traps.is_closed("item")


def test_short_pages_with_names_of_their_own_stay_open() -> None:
    """Only the name differs: one line of six."""
    traps = TrapDetector()
    for number in range(MANY):
        name = "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")
        rest = "![Picture]\n\nGame: Towns\n\nSeries: One\n\n## See also\n\nPrevious | Next"
        text = f"# {name}\n\n{rest}"
        traps.take(f"https://a.example/figure/{number}", "figure", text, leads_on=False)
    assert not traps.is_closed("figure")


def test_filters_whose_titles_combine_known_words_are_closed() -> None:
    traps = TrapDetector()
    facets = (("new", "used"), ("small", "large", "huge"), ("Red", "Green", "Blue", "Black"))
    for number, words in enumerate(product(*facets, ("Acme", "Brand", "Cobble"))):
        title = f"# Shoes: {' '.join(words)}"
        text = f"{title}\n\nSort by price\n\nFilter\n\nCart\n\nHelp\n\nContact"
        traps.take(f"https://a.example/shoes/{number}", "shoes", text, leads_on=False)
    assert traps.is_closed("shoes")


def test_filters_that_show_the_same_items_are_closed() -> None:
    traps = TrapDetector()
    items = [f"Item {number}" for number in range(20)]
    for number in range(MANY):
        shown = "\n".join(items[number % 5 :: 2])
        traps.take(f"https://a.example/shop?c={number}", "shop", shown, leads_on=False)
    assert traps.is_closed("shop")


def test_filters_named_by_their_urls_are_closed() -> None:
    traps = TrapDetector()
    for number in range(MANY):
        text = f"# Shop\n\n- /shop?c={number} [1]\n\n## Links\n\n[1]: https://a.example/?{number}"
        traps.take(f"https://a.example/shop?c={number}", "shop", text, leads_on=False)
    assert traps.is_closed("shop")


def test_words_of_a_page_do_not_depend_on_its_links() -> None:
    numbered = "See here [1].\n\n## Links\n\n[1]: https://a.example/?visit={}"
    inline = "See [here](https://a.example/?visit={})."
    for text in (numbered, inline):
        assert words_of(text.format(1)) == words_of(text.format(2))
    assert words_of(numbered) != words_of(numbered.replace("here", "there"))


def test_list_that_leads_to_new_pages_stays_open() -> None:
    traps = TrapDetector()
    for number in range(MANY):
        traps.take(f"https://a.example/list?p={number}", "list", "Next page", leads_on=True)
    assert not traps.is_closed("list")


def test_consecutive_duplicates_close_a_url_shape() -> None:
    traps = TrapDetector()
    for number in range(FRUITLESS_MAX):
        assert not traps.is_closed("x")
        traps.take(f"https://a.example/x?s={number}", "x", "", leads_on=False)
    assert traps.is_closed("x")
    assert not traps.is_closed("y")


def test_two_traps_do_not_keep_each_other_open() -> None:
    traps = TrapDetector()
    for number in range(MANY):
        for shape, other in (("month", "day"), ("day", "month")):
            leads_on = traps.leads_on(shape, [shape, other])
            traps.take(f"https://a.example/{shape}/{number}", shape, "", leads_on=leads_on)
    assert traps.is_closed("month")
    assert traps.is_closed("day")


def test_link_to_a_section_with_new_content_is_worth_following() -> None:
    traps = TrapDetector()
    for number in range(MANY):
        traps.take(f"https://a.example/item/{number}", "item", f"Item {number}", leads_on=False)
    assert traps.leads_on("list", ["item"])
    assert traps.leads_on("list", ["never seen"])
    assert not traps.leads_on("list", ["list"])


def test_closed_shape_is_exhausted_at_a_limit_and_reopened_by_new_text() -> None:
    traps = TrapDetector()
    for number in range(FRUITLESS_MAX + CLOSED_MAX):
        assert not traps.is_exhausted("x")
        traps.take(f"https://a.example/x?s={number}", "x", "", leads_on=False)
    assert traps.is_exhausted("x")
    traps.take("https://a.example/x?s=new", "x", "Something new.", leads_on=False)
    assert not traps.is_closed("x")
