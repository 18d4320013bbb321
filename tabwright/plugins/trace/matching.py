"""Finding the element of a recorded action on a page that may have changed since.

An element is chosen only if it is clearly the one: it has the role and the name of the recorded one
(or an attribute that identifies it), its neighborhood is similar, and no other comes close.
"""

import re
from collections.abc import Sequence

import attrs

from tabwright.plugins.trace.records import ElementDescription, RecordedTarget
from tabwright.text.similarity import same_text, sequence_similarity, similarity, words_of

_DIGIT = re.compile(r"\d")

MARGIN = 2.0
"""How much better the best candidate must be than the next one."""

NEIGHBORHOOD_MIN, SPECIFIC_MIN = 0.25, 0.1
"""The least similarity of the neighborhood of an element that no attribute identifies; the second
for a name of several words, which few other elements have.
"""

NAMELESS_MIN = 0.6
"""The same for an element without a name."""

DISTINCT_MIN = 0.5
"""The least share of the words that distinguish an element from its equals."""

NAME_MIN = 0.5
"""The least similarity of the name of an element that an attribute identifies."""

KINDRED: tuple[frozenset[str], ...] = (
    frozenset({"button", "link", "clickable", "menuitem", "tab", "disclosure"}),
    frozenset({"textbox", "searchbox", "combobox"}),
    frozenset({"combobox", "listbox"}),
    frozenset({"checkbox", "switch", "menuitemcheckbox"}),
    frozenset({"radio", "menuitemradio"}),
)
"""Roles that authors exchange for each other without changing what an element does."""


def kindred_roles(role: str) -> tuple[str, ...]:
    """Return the roles that an element can have instead of a role, and the role itself."""
    return tuple(sorted({role}.union(*(kin for kin in KINDRED if role in kin))))


@attrs.frozen
class ScoredElement:
    """An element of the page, compared with the recorded one.

    Attributes:
        score: how well it fits; the higher, the better.
        reason: why it cannot be the recorded one; empty if it can.
    """

    element: ElementDescription
    score: float
    reason: str = ""


@attrs.frozen
class ElementChoice:
    """The result of a search: the element, or why none was chosen; the best candidates first."""

    element: ElementDescription | None
    problem: str
    scored: tuple[ScoredElement, ...]


def choose(recorded: RecordedTarget, candidates: Sequence[ElementDescription]) -> ElementChoice:
    """Return the candidate that is clearly the recorded element, if there is one."""
    same_names = [one for one in candidates if same_text(one.name, recorded.element.name)]
    is_only = len(same_names) == 1
    matches = sorted(
        (_match(recorded, one, is_only=is_only) for one in candidates),
        key=lambda match: -match.score,
    )
    possible = [match for match in matches if not match.reason]
    ordered = (*possible, *(match for match in matches if match.reason))
    if not possible:
        return ElementChoice(None, "no element of the page is clearly the recorded one", ordered)
    if recorded.count > 1 and not recorded.distinct:
        return _by_place(recorded, possible, ordered)
    if len(possible) > 1 and possible[0].score - possible[1].score < MARGIN:
        count = sum(possible[0].score - match.score < MARGIN for match in possible)
        return ElementChoice(None, f"{count} elements of the page fit equally well", ordered)
    return ElementChoice(possible[0].element, "", ordered)


def _by_place(
    recorded: RecordedTarget, possible: Sequence[ScoredElement], ordered: tuple[ScoredElement, ...]
) -> ElementChoice:
    """Return the element at the recorded place among equals that nothing distinguishes."""
    place = recorded.element.around, recorded.element.heading
    alike = [
        match.element
        for match in possible
        if recorded.element.around and place == (match.element.around, match.element.heading)
    ]
    if len(alike) == len(possible) == recorded.count:
        return ElementChoice(alike[recorded.place], "", ordered)
    return ElementChoice(None, "nothing distinguished the element from its equals", ordered)


def _match(
    recorded: RecordedTarget, candidate: ElementDescription, *, is_only: bool
) -> ScoredElement:
    element = recorded.element
    identity, neighborhood = _identity(element, candidate), _neighborhood(element, candidate)
    structure = similarity(element.landmark, candidate.landmark)
    structure += sequence_similarity(element.ancestors, candidate.ancestors)
    share = distinct_share(recorded, candidate, is_only=is_only)
    score = (
        sum(points for _, points in identity)
        + 8 * neighborhood
        + structure
        + (6 * share if recorded.distinct else 0)
    )
    names = {name for name, points in identity if points > 0}
    return ScoredElement(
        candidate, round(score, 2), _reason(recorded, candidate, names, neighborhood, share)
    )


STABLE = frozenset({"test_id", "id", "field"})
"""Attributes that identify an element."""

IDENTIFYING = frozenset({"placeholder", "title", "href", "text"})
"""The same for an element without a name."""


def _reason(
    recorded: RecordedTarget,
    candidate: ElementDescription,
    equal: set[str],
    neighborhood: float,
    share: float,
) -> str:
    """Return why a candidate cannot be the recorded element; empty if it can."""
    element = recorded.element
    stable = STABLE & equal
    is_named = "name" in equal or bool(
        stable and similarity(element.name, candidate.name) >= NAME_MIN
    )
    is_known = bool(stable or equal & IDENTIFYING) or neighborhood >= NAMELESS_MIN
    is_specific = len(words_of(element.name)) > 1
    is_elsewhere = neighborhood < (SPECIFIC_MIN if is_specific else NEIGHBORHOOD_MIN)
    reasons = (
        (candidate.role not in kindred_roles(element.role), "another role"),
        (element.shown and not candidate.shown, "not visible"),
        (_differ(element.choice, candidate.choice), "another choice"),
        (_differ(element.test_id, candidate.test_id), "another test id"),
        (bool(recorded.distinct) and share < DISTINCT_MIN, "other text around it"),
        (bool(element.name) and not is_named, "another name"),
        (not element.name and not is_known, "nothing identifies it"),
        (not (stable or recorded.distinct) and is_elsewhere, "another neighborhood"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def _differ(one: str, other: str) -> bool:
    """Return whether both elements have an attribute, with different values."""
    return bool(one and other and one != other)


WEIGHTS = {
    "test_id": 5.0,
    "field": 3.0,
    "id": 2.0,
    "href": 3.0,
    "placeholder": 2.0,
    "title": 1.0,
    "choice": 4.0,
    "kind": 1.0,
}
"""Points for attributes that are equal."""


def _identity(
    recorded: ElementDescription, candidate: ElementDescription
) -> list[tuple[str, float]]:
    """Return the points for what an element itself is, by attribute."""
    points = [("role", 2.0 if recorded.role == candidate.role else 0.0)]
    if recorded.name and same_text(recorded.name, candidate.name):
        points.append(("name", 6.0))
    elif recorded.text and same_text(recorded.text, candidate.text):
        points.append(("text", 4.0))
    for name, weight in WEIGHTS.items():
        known = str(getattr(recorded, name))
        is_numbered = name in {"id", "field"} and _DIGIT.search(known)  # by place, or generated
        if known and not is_numbered and known == getattr(candidate, name):
            points.append((name, weight))
    return points


def _neighborhood(recorded: ElementDescription, candidate: ElementDescription) -> float:
    """Return how similar the texts near two elements are, from 0 to 1."""
    texts = (
        (2.0, recorded.heading, candidate.heading),
        (2.0 if " " in recorded.landmark else 0.0, recorded.landmark, candidate.landmark),
        (1.0, recorded.before, candidate.before),
        (1.0, recorded.after, candidate.after),
    )
    parts = [(weight, similarity(one, other)) for weight, one, other in texts if one]
    own = set(words_of(recorded.name))
    for place in {0, len(recorded.around) - 1} if recorded.around else ():
        around = _without(recorded.around[place], own)
        if around:
            shares = (similarity(around, _without(one, own)) for one in candidate.around)
            parts.append((2.0, max(shares, default=0.0)))
    total = sum(weight for weight, _ in parts)
    if not total:
        return 1.0  # an element with nothing around it is in no other neighborhood
    return sum(weight * part for weight, part in parts) / total


def _without(text: str, words: set[str]) -> str:
    return " ".join(word for word in words_of(text) if word not in words)


def distinct_share(
    recorded: RecordedTarget, candidate: ElementDescription, *, is_only: bool
) -> float:
    """Return the share of the distinct words of a recorded element that are near a candidate.

    A heading that distinguished the element from its equals has to be the same, and is enough.
    Otherwise numbers count half: prices and dates change. If the candidate is the only one with
    its name, no equal limits the texts around it: only those count then that are not longer than
    the recorded one, so that they do not come from elsewhere on the page.
    """
    distinct = set(recorded.distinct)
    if heading := distinct & set(words_of(recorded.element.heading)):
        return float(heading <= set(words_of(candidate.heading)))
    around = recorded.element.around
    longest = 1.2 * len(words_of(around[-1] if around else "")) + 2
    texts = [one for one in candidate.around if not is_only or len(words_of(one)) <= longest]
    near = set(words_of(" ".join((*texts, candidate.heading, candidate.landmark))))
    weights = {word: 1.0 if word.isdecimal() else 2.0 for word in distinct}
    found = sum(weight for word, weight in weights.items() if word in near)
    return found / sum(weights.values()) if weights else 1.0
