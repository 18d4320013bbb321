class Image:
    alt_text: str | None
