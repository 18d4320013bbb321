from collections.abc import Iterable

from pptx.text.text import TextFrame

class Title:
    text_frame: TextFrame

class Series:
    name: str
    values: Iterable[float | None]

class Plot:
    categories: Iterable[object]
    series: Iterable[Series]

class Chart:
    has_title: bool
    chart_title: Title
    plots: Iterable[Plot]
