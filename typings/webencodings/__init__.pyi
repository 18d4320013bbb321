import codecs

LABELS: dict[str, str]

class Encoding:
    name: str
    codec_info: codecs.CodecInfo

def lookup(label: str) -> Encoding | None: ...
