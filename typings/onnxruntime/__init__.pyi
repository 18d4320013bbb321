# What is used of onnxruntime, which has no types of its own.

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

class SessionOptions:
    def __init__(self) -> None: ...
    def add_session_config_entry(self, key: str, value: str, /) -> None: ...

class InferenceSession:
    def __init__(
        self,
        path_or_bytes: str | bytes,
        sess_options: SessionOptions | None = None,
        providers: Sequence[str] | None = None,
    ) -> None: ...
    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, NDArray[np.int64]]
    ) -> list[NDArray[np.float32]]: ...
