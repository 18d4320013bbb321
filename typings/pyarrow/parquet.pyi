from types import TracebackType
from typing import BinaryIO, Self

from pyarrow import Schema, Table

class ParquetWriter:
    def __init__(self, where: BinaryIO, schema: Schema) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
    def write_table(self, table: Table) -> None: ...
