from collections.abc import Mapping

dingbats: Mapping[tuple[str, int], int]
