"""The CSS domain: the rules that apply to an element."""

from tabwright.cdp.wire import CDPCommand, Event, Nothing, Shape

_HEADER = {
    "style_sheet_id": "styleSheetId",
    "source_url": "sourceURL",
    "start_line": "startLine",
}


class StyleSheetHeader(Shape, frozen=True, rename=_HEADER):
    """A style sheet; `start_line` is the line of its beginning in its document, from 0."""

    style_sheet_id: str
    source_url: str = ""
    start_line: float = 0


class StyleSheetAdded(Event, frozen=True):
    """A style sheet of the document; reported for each when the domain is enabled."""

    method = "CSS.styleSheetAdded"
    header: StyleSheetHeader


class CSSProperty(Shape, frozen=True):
    """A declaration; `implicit` ones follow from a shorthand, others have a `text`."""

    name: str
    value: str
    text: str = ""
    implicit: bool = False
    disabled: bool = False


class SourceRange(Shape, frozen=True):
    """The position of a rule in its source, counted from 0."""

    start_line: float = 0


class CSSStyle(Shape, frozen=True):
    """The declarations of a rule."""

    css_properties: tuple[CSSProperty, ...] = ()
    range: SourceRange = SourceRange()


class SelectorList(Shape, frozen=True):
    """The selector of a rule."""

    text: str


class MediaCondition(Shape, frozen=True):
    """A media query around a rule."""

    text: str


class CSSRule(Shape, frozen=True):
    """A rule; `origin` is ``regular`` if the page has written it."""

    selector_list: SelectorList
    origin: str
    style: CSSStyle
    style_sheet_id: str = ""
    media: tuple[MediaCondition, ...] = ()


class RuleMatch(Shape, frozen=True):
    """A rule that matches an element."""

    rule: CSSRule


_MATCHED = {"inline_style": "inlineStyle", "matched_rules": "matchedCSSRules"}


class MatchedStyles(Shape, frozen=True, rename=_MATCHED):
    """The result of ``CSS.getMatchedStylesForNode``; the strongest rule is the last."""

    inline_style: CSSStyle = CSSStyle()
    matched_rules: tuple[RuleMatch, ...] = ()


class ComputedProperty(Shape, frozen=True):
    """A property with its computed value."""

    name: str
    value: str


class ComputedStyle(Shape, frozen=True):
    """The result of ``CSS.getComputedStyleForNode``."""

    computed_style: tuple[ComputedProperty, ...]


def enable() -> CDPCommand[Nothing]:
    """CSS.enable; the DOM domain must be enabled."""
    return CDPCommand("CSS.enable", {}, Nothing)


def disable() -> CDPCommand[Nothing]:
    """CSS.disable."""
    return CDPCommand("CSS.disable", {}, Nothing)


def get_matched_styles(node_id: int) -> CDPCommand[MatchedStyles]:
    """CSS.getMatchedStylesForNode."""
    return CDPCommand("CSS.getMatchedStylesForNode", {"nodeId": node_id}, MatchedStyles)


def get_computed_style(node_id: int) -> CDPCommand[ComputedStyle]:
    """CSS.getComputedStyleForNode."""
    return CDPCommand("CSS.getComputedStyleForNode", {"nodeId": node_id}, ComputedStyle)
