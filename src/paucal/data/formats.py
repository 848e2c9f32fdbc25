"""What a file is: its first bytes say; its name only has to agree."""

from __future__ import annotations

import os
import re
from typing import IO

from paucal.errors import FileError, counted

TEXT, PARQUET, ARROW = "a text file", "a Parquet file", "a Feather or Arrow file"
WORKBOOK = "a workbook"
SPSS, PORTABLE, STATA = "an SPSS file", "an SPSS portable file", "a Stata file"
SAS, TRANSPORT = "a SAS file", "a SAS transport file"
R_OBJECT, R_WORKSPACE = "an R object", "an R workspace"

# what the end of a name promises
_PROMISES = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), TEXT),
    **dict.fromkeys((".parquet", ".pq"), PARQUET),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), ARROW),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".ods"), WORKBOOK),
    **dict.fromkeys((".sav", ".zsav"), SPSS),
    **dict.fromkeys((".rda", ".rdata"), R_WORKSPACE),
    ".por": PORTABLE,
    ".dta": STATA,
    ".sas7bdat": SAS,
    ".xpt": TRANSPORT,
    ".rds": R_OBJECT,
}

_SAS = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")

# how files begin
_BEGINNINGS = {
    b"$FL2": SPSS,
    b"$FL3": SPSS,
    b"<stata_dta>": STATA,
    _SAS: SAS,
    b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!": TRANSPORT,
    b"HEADER RECORD*******LIBV8   HEADER RECORD!!!!!!!": TRANSPORT,
    b"\xd0\xcf\x11\xe0": WORKBOOK,
    **dict.fromkeys((b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"RDB2\n", b"RDB3\n"), R_WORKSPACE),
    **dict.fromkeys((b"X\n\0\0", b"A\n2\n", b"A\n3\n", b"B\n\2\0", b"B\n\3\0"), R_OBJECT),
}

# files that people try and that we do not read
_STRANGERS = {
    b"SQLite format 3": "an SQLite data base",
    b"\x89HDF": "an HDF5 file",
    b"\x28\xb5\x2f\xfd": "compressed by Zstandard",
    b"%PDF": "a PDF file",
    b"{\\rtf": "a rich text file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body|table|\?xml)\b", re.IGNORECASE)
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*\"[^\"]*\"\s*:")
_SHEETS = ("xl/workbook.xml", "content.xml")


def recognise(stream: IO[bytes], label: str, suffix: str) -> str:
    """Tell from its bytes what a file is; its name must not promise anything else."""
    start = stream.read(512)
    stream.seek(max(0, stream.seek(0, os.SEEK_END) - 4))
    end = stream.read(4)
    stream.seek(0)
    kind = _kind(start, end, label, stream)
    promised = _PROMISES.get(suffix, kind)
    if promised != kind:
        raise FileError(
            f"The name of {label} says that it is {promised}, but its bytes are those of {kind}.",
            hint="Rename it, or copy it again if it is not complete.",
        )
    return kind


def _kind(start: bytes, end: bytes, label: str, stream: IO[bytes]) -> str:
    if start.startswith(b"PAR1") and end == b"PAR1" and len(start) > 8:
        return PARQUET
    if start.startswith((b"ARROW1", b"FEA1")) and end in (b"ROW1", b"FEA1"):
        return ARROW
    for magic, kind in _BEGINNINGS.items():
        if start.startswith(magic):
            return kind
    if len(start) > 4 and start[0] in range(104, 116) and start[1] in (1, 2) and start[2] == 1 and start[3] == 0:
        return STATA  # before version 13
    if b"SPSS PORT FILE" in start:
        return PORTABLE
    hint = "Save it as CSV, or read it with pandas and give the data frame."
    for magic, stranger in _STRANGERS.items():
        if start.startswith(magic):
            raise FileError(f"{label} is {stranger}.", hint=hint)
    if start.startswith(b"PK\x03\x04"):
        return _zipped(stream, label, hint)
    if _PAGE.match(start):
        raise FileError(f"{label} is a web page.", hint=hint)
    if _JSON.match(start):
        raise FileError(f"{label} is JSON.", hint=hint)
    return TEXT


def _zipped(stream: IO[bytes], label: str, hint: str) -> str:
    """Tell a workbook from other archives."""
    import zipfile

    try:
        with zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        problem = f"{label} begins like a workbook or a zip archive and is damaged: {str(error).rstrip('.')}."
        raise FileError(problem, hint="Copy it again.") from error
    finally:
        stream.seek(0)
    if any(name in names for name in _SHEETS):
        return WORKBOOK
    if "xl/workbook.bin" in names:
        raise FileError(f"{label} is a binary workbook.", hint="Save it as .xlsx.")
    raise FileError(f"{label} is a zip archive of {counted(len(names), 'file')}.", hint=f"Unpack it first. {hint}")
