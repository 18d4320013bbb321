class Hyperlink:
    address: str | None

class Font:
    bold: bool | None

class Run:
    text: str
    font: Font
    hyperlink: Hyperlink

class Paragraph:
    level: int
    runs: tuple[Run, ...]

class TextFrame:
    text: str
    paragraphs: tuple[Paragraph, ...]
