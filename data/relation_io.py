"""Read and write relations: Parquet, or text in columns, plain or packed.

A canonical relation in Parquet is marked as one in its metadata, and every column with its kind; see `is_relation`.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.arrow import TIME_TYPE, from_integers, from_texts, is_text, to_integers
from data.columns import INTEGER
from data.columns import NUMBER as DECIMAL
from data.io import check_present, naming, write_whole
from data.log import LogError
from data.options import DEFAULTS, ImportOptions
from data.relation import CATEGORY, IPV4, KINDS, TIME, Column, Relation, spelled
from data.times import in_zone, instants
from data.unpack import decoded, pieces

CONTENT, KIND = b"content", b"kind"  # keys of metadata, of a file and of a column
RELATION = b"relation"
OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
ADDRESS = r"^(?P<a>O)\.(?P<b>O)\.(?P<c>O)\.(?P<d>O)$".replace("O", OCTET)
# Of IPv6 either `::` or eight groups; a time of day and the address of a device have fewer.
ADDRESS_LIKE = r"^[0-9]+(\.[0-9]+){3}$|^[0-9a-fA-F:]*::[0-9a-fA-F:.]*$|^([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$"
TIME_LIKE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}"


def read_relation(path: str | os.PathLike, options: ImportOptions = DEFAULTS) -> Relation:
    """Read a relation.

    Columns are of the kind that their texts show: whole numbers; IPv4 addresses, if at least half of the distinct
    texts look like addresses; times in ISO 8601; else categories, numbers with a fraction among them. Space around a
    text is no part of it.

    Parameters
    ----------
    path : path
        Parquet by its suffix, in which columns that are not marked with a kind may be text, numbers or timestamps.
        Any other file is taken for CSV, plain, gzip or zip.
    options : ImportOptions
        Of which `columns` (names, for a file without a line of them), `separator`, `encoding`, `zone` and the limits
        of packed files count.

    Raises
    ------
    LogError
        If the file is missing, empty or no table; a cell is empty; an address is one of IPv6, or
        none. The message names the file, the row (counted from 1) and the remedy.
    """
    path = Path(path)
    check_present(path)
    with naming(path, "relation"):
        table = (_read_parquet if path.name.lower().endswith(".parquet") else _read_csv)(path, options)
        if len(set(table.column_names)) < table.num_columns or not table.num_columns:
            raise LogError(f"{path}: the names of the columns repeat, or there are none: {table.column_names}")
        found = zip(table.schema, table.columns, strict=True)
        return Relation({field.name: _column(field, values, path, options) for field, values in found})


def write_relation(relation: Relation, path: str | os.PathLike) -> None:
    """Write a relation, whole or not at all (temporary name, then rename).

    Raises
    ------
    LogError
        If the suffix is of an unknown kind or the folder does not exist.
    """
    write_table(to_table(relation), path)


def is_relation(path: str | os.PathLike) -> bool:
    """Whether a Parquet file is marked as a relation."""
    import pyarrow.parquet as pq

    check_present(Path(path))
    with naming(Path(path), "relation"):
        return (pq.read_schema(path).metadata or {}).get(CONTENT) == RELATION


def to_table(relation: Relation) -> pa.Table:
    """The relation as an Arrow table that bears the marks of one."""
    fields, arrays = [], []
    for name, column in relation.columns.items():
        arrays.append(to_array(column))
        fields.append(pa.field(name, arrays[-1].type, nullable=False, metadata={KIND: column.kind.encode()}))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata={CONTENT: RELATION}))


def to_array(column: Column) -> pa.Array:
    """A column as an Arrow array; labels that no row has are left out."""
    if column.kind == CATEGORY:
        used, codes = np.unique(column.values, return_inverse=True)
        labels = from_texts(column.texts(used))
        return pa.DictionaryArray.from_arrays(from_integers(codes.astype(np.int32), pa.int32()), labels)
    return from_integers(column.values, TIME_TYPE if column.kind == TIME else pa.int64())


def write_table(table: pa.Table, path: str | os.PathLike) -> None:
    """Write a table as .parquet, .csv or .csv.gz, whole or not at all; in CSV addresses and times are texts.

    Raises
    ------
    LogError
        If the suffix is of an unknown kind or the folder does not exist.
    """
    write_whole(table, path, WRITERS)


def from_array(values: pa.Array, kind: str) -> Column:
    """The column of an Arrow array without nulls that `to_array` made."""
    if kind == CATEGORY:
        return _category(values, lambda texts: np.arange(len(texts)))
    return Column(to_integers(values, np.int64), kind)


def whole(values: pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    array = (values.unify_dictionaries() if pa.types.is_dictionary(values.type) else values).combine_chunks()
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array


def _column(field: pa.Field, values: pa.ChunkedArray, path: Path, options: ImportOptions) -> Column:
    array = whole(values)
    if array.null_count:
        raise LogError(f"{path}: row {_row(array.is_null())}: column {field.name!r} is empty; fill or drop such rows")
    kind = (field.metadata or {}).get(KIND, b"").decode()
    if kind in KINDS:
        return from_array(array, kind)
    if is_text(array.type):
        return of_texts(array, field.name, path, options)
    if pa.types.is_integer(array.type):
        return Column(to_integers(array.cast(pa.int64()), np.int64))
    if pa.types.is_timestamp(array.type):
        return Column(_moments(array.cast(pa.timestamp("us", array.type.tz), safe=False), options), TIME)
    if pa.types.is_floating(array.type) or pa.types.is_boolean(array.type):
        return of_texts(array.cast(pa.string()), field.name, path, options)
    raise LogError(f"{path}: column {field.name!r} holds {array.type}; convert it to text, integers or timestamps")


def of_texts(array: pa.Array, name: str, path: str | os.PathLike, options: ImportOptions = DEFAULTS) -> Column:
    """The column of texts, none of them null, of the kind that they show; as `read_relation` makes them."""
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    codes = to_integers(encoded.indices.cast(pa.int64()), np.int64)
    texts = pc.utf8_trim_whitespace(encoded.dictionary.cast(pa.string()))
    alike = pc.sum(pc.match_substring_regex(texts, ADDRESS_LIKE), min_count=0).as_py()
    if alike and 2 * alike >= len(texts):
        return Column(_addresses(texts, codes, name, path)[codes], IPV4)
    if _all_match(texts, f"^({INTEGER.pattern})$"):
        try:
            return Column(to_integers(texts.cast(pa.int64()), np.int64)[codes])
        except pa.ArrowInvalid:
            pass  # more digits than 64 bits hold
    if _all_match(texts, TIME_LIKE):
        moments = instants(texts, options.zone).values
        if not moments.null_count:
            return Column(to_integers(moments, np.int64)[codes], TIME)
    return _category(pa.DictionaryArray.from_arrays(encoded.indices, texts), _order)


def _addresses(texts: pa.Array, codes: np.ndarray, name: str, path: Path) -> np.ndarray:
    """The integers of addresses, given as distinct texts and the text of each row."""
    octets = pc.extract_regex(texts, ADDRESS)
    if octets.null_count:
        row = int(np.argmax(_bools(octets.is_null())[codes]))
        text = texts[codes[row]].as_py()
        raise LogError(f"{path}: row {row + 1}: {text!r} in column {name!r} is {_no_ipv4(text)}")
    parts = [to_integers(part.cast(pa.int64()), np.int64) for part in octets.flatten()]
    return sum(part << shift for part, shift in zip(parts, (24, 16, 8, 0), strict=True))


def _no_ipv4(text: str) -> str:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return "no IPv4 address, as the others are; correct or drop such rows"
    return "an IPv6 address, which is not supported; drop such rows, or recode them apart as texts"


def _category(array: pa.DictionaryArray, ordering: Callable[[list[str]], np.ndarray]) -> Column:
    """The column of some texts; those that are alike become one label, and labels without a row are left out."""
    texts = array.dictionary.to_pylist()
    labels = list(dict.fromkeys(texts))
    place = {text: code for code, text in enumerate(labels)}
    codes = np.array([place[text] for text in texts], dtype=np.int64)[to_integers(array.indices, np.int32)]
    used, codes = np.unique(codes, return_inverse=True)
    labels = [labels[code] for code in used]
    order = ordering(labels)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return Column(rank[codes], CATEGORY, tuple(labels[code] for code in order))


def _order(texts: list[str]) -> np.ndarray:
    """By value if all are numbers, else by their characters."""
    key = float if all(map(DECIMAL.fullmatch, texts)) else str
    return np.array(sorted(range(len(texts)), key=lambda place: key(texts[place])), dtype=np.int64)


def _moments(array: pa.Array, options: ImportOptions) -> np.ndarray:
    return to_integers(in_zone(array, options.zone).values if array.type.tz is None else array, np.int64)


def _all_match(texts: pa.Array, pattern: str) -> bool:
    return len(texts) > 0 and pc.all(pc.match_substring_regex(texts, pattern)).as_py()


def _bools(array: pa.Array) -> np.ndarray:
    return to_integers(array.cast(pa.uint8()), np.uint8).astype(bool)


def _row(wanted: pa.Array) -> int:
    return pc.index(wanted, True).as_py() + 1


def _read_csv(path: Path, options: ImportOptions) -> pa.Table:
    import pyarrow.csv as csv

    try:
        content = pa.py_buffer(b"".join(decoded(pieces(path, options), options.encoding)))
    except LookupError as error:
        raise LogError(f"{path}: unknown encoding {options.encoding!r}; use a name such as utf-8 or cp1252") from error
    reading = csv.ReadOptions(use_threads=False, column_names=options.columns or None)
    parsing = csv.ParseOptions(delimiter=options.separator)
    with csv.open_csv(pa.BufferReader(content), reading, parsing) as reader:
        names = reader.schema.names
    texts = dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))
    converting = csv.ConvertOptions(
        column_types=texts, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    return csv.read_csv(pa.BufferReader(content), reading, parsing, converting)


def _read_parquet(path: Path, _: ImportOptions) -> pa.Table:
    import pyarrow.parquet as pq

    # Not `read_table`, which imports pandas by way of the dataset interface.
    with pq.ParquetFile(path, pre_buffer=False) as file:
        table = file.read(use_threads=False)
    table.validate(full=True)
    return table


def _write_parquet(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        writer.write_table(table)


def _write_csv(table: pa.Table, path: Path) -> None:
    import pyarrow.csv as csv

    columns = [_plain(field, values) for field, values in zip(table.schema, table.columns, strict=True)]
    with pa.output_stream(str(path), compression="detect") as sink:
        csv.write_csv(pa.Table.from_arrays(columns, table.column_names), sink)


def _plain(field: pa.Field, values: pa.ChunkedArray) -> pa.Array:
    """A column as the CSV writer takes it: no dictionary, addresses and times as texts."""
    array = whole(values)
    kind = (field.metadata or {}).get(KIND, b"").decode()
    if pa.types.is_dictionary(array.type):
        return array.cast(array.type.value_type)
    if kind in (IPV4, TIME):
        texts = from_texts(spelled(to_integers(array.cast(pa.int64()).fill_null(0), np.int64), kind))
        return texts.take(from_integers(np.arange(len(texts)), pa.int64(), valid=_bools(array.is_valid())))
    return array


WRITERS = {".parquet": _write_parquet, ".csv": _write_csv, ".csv.gz": _write_csv}
