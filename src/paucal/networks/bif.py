"""BIF, the interchange format for Bayesian networks (version 0.15): files in and out."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from paucal import checks
from paucal.atomic import replacing
from paucal.errors import FileError, not_allowed
from paucal.networks.bayesnet import BayesNet
from paucal.networks.bif_parser import WORD, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Source: TypeAlias = "str | os.PathLike[str] | IO[str] | IO[bytes]"


def read_bif(source: Source, *, encoding: str = "utf-8") -> BayesNet:
    """Read a Bayesian network from a BIF file; an error names line, column and what was expected.

    Parameters
    ----------
    source
        A path, or an open file (text or binary). Gzip-compressed content is recognised by its first bytes.
    encoding
        How bytes become text; old files may need `"latin-1"`.

    Examples
    --------
    >>> import io
    >>> text = '''network weather { }
    ... variable rain { type discrete [ 2 ] { yes, no }; }
    ... variable grass { type discrete [ 2 ] { wet, dry }; }
    ... probability ( rain ) { table 0.2, 0.8; }
    ... probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.25, 0.75; }'''
    >>> read_bif(io.StringIO(text))
    BayesNet('weather', 2 nodes, 1 arc, 3 parameters)
    """
    text, where = _read_text(source, encoding)
    return parse(text, where)


def write_bif(net: BayesNet, target: str | os.PathLike[str] | IO[str]) -> None:
    """Write a network as BIF, so that reading it back gives an equal network, bit for bit.

    The target is a path, compressed when it ends in `.gz`, or an open text file.

    >>> import io, paucal
    >>> file = io.StringIO()
    >>> write_bif(paucal.load_network("cancer"), file)
    >>> file.getvalue().splitlines()[2:5]
    ['variable Pollution {', '  type discrete [ 2 ] { low, high };', '}']
    """
    text = _render(checks.instance("net", net, BayesNet, "a BayesNet"))
    if hasattr(target, "write"):
        target.write(text)
        return
    content = text.encode()
    if checks.path("target", target).suffix == ".gz":
        content = gzip.compress(content, mtime=0)  # the same network always gives the same bytes
    with replacing(target) as file:
        file.write(content)


@dataclass(frozen=True)
class SafeNames:
    """A network whose names and levels every reader of BIF takes, and what they were.

    `names` has for every safe name the one it stands for, `levels` for every safe name its safe levels with the ones
    they stand for.
    """

    net: BayesNet
    names: Mapping[str, str]
    levels: Mapping[str, Mapping[str, str]]

    def to_json(self) -> str:
        """Write the map as JSON."""
        content = {"names": dict(self.names), "levels": {node: dict(own) for node, own in self.levels.items()}}
        return json.dumps(content, ensure_ascii=False, indent=1)


def with_safe_names(net: BayesNet) -> SafeNames:
    """Give names and levels that hold letters, digits and underscores only, names beginning with a letter.

    Many readers, those of pgmpy and bnlearn among them, know no quoted names.

    >>> import paucal
    >>> net = paucal.BayesNet({"body mass": ["< 20", ">= 20"]}, {}, {"body mass": [0.4, 0.6]})
    >>> safe = with_safe_names(net)
    >>> dict(safe.names), {node: dict(own) for node, own in safe.levels.items()}
    ({'body_mass': 'body mass'}, {'body_mass': {'below_20': '< 20', 'from_20': '>= 20'}})
    """
    names = {own: safe for safe, own in _safe(net.names, "column").items()}
    levels = {names[node]: _safe(own, "level") for node, own in net.levels.items()}
    parents = {names[node]: [names[parent] for parent in net.parents(node)] for node in net.names}
    tables = {names[node]: table for node, table in net.cpts.items()}
    name = next(iter(_safe([net.name], "network")))
    made = BayesNet({node: list(own) for node, own in levels.items()}, parents, tables, name=name)
    return SafeNames(made, {safe: own for own, safe in names.items()}, levels)


def _safe(texts: Iterable[str], what: str) -> dict[str, str]:
    """Give a safe name for each text, all different."""
    found: dict[str, str] = {}
    for text in texts:
        words = text
        for sign, word in (("<=", " up_to "), (">=", " from "), ("<", " below "), (">", " above "), (", ", " to ")):
            words = words.replace(sign, word)
        safe = re.sub(r"[^A-Za-z0-9]+", "_", words).strip("_") or what
        if what != "level" and not safe[0].isalpha():
            safe = f"{what}_{safe}"
        number = 2
        once = safe
        while safe in found:
            safe = f"{once}_{number}"
            number += 1
        found[safe] = text
    return found


def _read_text(source: Source, encoding: str) -> tuple[str, str]:
    if isinstance(source, (str, os.PathLike)):
        where = str(source)
        try:
            content: str | bytes = Path(source).read_bytes()
        except (OSError, ValueError) as error:  # ValueError: a null character in the path
            reason = getattr(error, "strerror", None) or error
            raise FileError(
                f"The network file {where!r} cannot be read: {reason}.",
                hint="Bundled networks are loaded by name: paucal.load_network('alarm').",
            ) from error
    elif hasattr(source, "read"):
        where = str(getattr(source, "name", "<text>"))
        content = source.read()
    else:
        raise not_allowed("source", source, "the name of a file, or an open one")
    if isinstance(content, bytes):
        content = _decode(content, where, encoding)
    return content.removeprefix("\ufeff"), where


def _decode(content: bytes, where: str, encoding: str) -> str:
    encoding = checks.encoding(encoding)
    try:
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        return content.decode(encoding)
    except (OSError, EOFError, zlib.error) as error:
        problem = f"The compressed file {where!r} is damaged: {error}."
        raise FileError(problem, hint="Fetch or compress it again.") from error
    except UnicodeDecodeError as error:
        problem = f"Byte {error.start} of {where!r} is not {encoding} text."
        raise FileError(problem, hint="Try encoding='latin-1'.") from error


def _render(net: BayesNet) -> str:
    lines = [f"network {_quote(net.name)} {{", "}"]
    labels = {node: [_quote(level) for level in levels] for node, levels in net.levels.items()}
    for node, levels in labels.items():
        lines += [f"variable {_quote(node)} {{", f"  type discrete [ {len(levels)} ] {{ {', '.join(levels)} }};", "}"]
    for node, table in net.cpts.items():
        parents = net.parents(node)
        rows = table.reshape(-1, table.shape[-1]).tolist()
        if parents:
            lines.append(f"probability ( {_quote(node)} | {', '.join(map(_quote, parents))} ) {{")
            keys = itertools.product(*(labels[parent] for parent in parents))
            lines += [f"  ({', '.join(key)}) {_numbers(row)};" for key, row in zip(keys, rows, strict=True)]
        else:
            lines += [f"probability ( {_quote(node)} ) {{", f"  table {_numbers(rows[0])};"]
        lines.append("}")
    return "\n".join([*lines, ""])


def _numbers(row: list[float]) -> str:
    return ", ".join(map(repr, row))  # repr: the shortest text that reads back as the same double


def _quote(name: str) -> str:
    if re.fullmatch(WORD, name):
        return name
    for escape, plain in (("\\\\", "\\"), ('\\"', '"'), ("\\n", "\n"), ("\\r", "\r")):
        name = name.replace(plain, escape)
    return f'"{name}"'
