"""What an engine is told to do: one value, replaced between requests."""

from typing import Final, Literal, TypeAlias, get_args

import attrs
from attrs.validators import ge, in_, optional

Engine: TypeAlias = Literal[
    "duckduckgo", "bing", "brave", "mojeek", "startpage", "ecosia", "google"
]
Status: TypeAlias = Literal[403, 429, 503]
Check: TypeAlias = Literal["captcha", "anubis", "interstitial", "denied"]

ENGINES: Final[tuple[Engine, ...]] = get_args(Engine)


@attrs.frozen
class EngineScenario:
    """How one engine behaves; a value that cannot be raises ValueError.

    Attributes:
        captcha: meet searches with the engine's own check, until it was passed where a person can.
        captcha_after: likewise, once so many pages of results were served.
        startpage_check: which of its four checks Startpage has then; other engines have one.
        status: answer every page with a bare error.
        retry_after_s: what a 429 says in its header ``Retry-After``.
        no_results: find nothing, and say so with the engine's own marks.
        drift: list the results under names of classes, ids and attributes that nobody knows.
        hang: never answer.
        slow_s: wait before every answer.
        garbage: send half of the page of results, as if it were all.
    """

    captcha: bool = False
    captcha_after: int | None = attrs.field(default=None, validator=optional(ge(1)))
    startpage_check: Check = attrs.field(default="captcha", validator=in_(get_args(Check)))
    status: Status | None = attrs.field(default=None, validator=optional(in_(get_args(Status))))
    retry_after_s: int = attrs.field(default=30, validator=ge(0))
    no_results: bool = False
    drift: bool = False
    hang: bool = False
    slow_s: float = attrs.field(default=0.0, validator=ge(0.0))
    garbage: bool = False
