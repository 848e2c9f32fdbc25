"""Names that a format cannot hold as they are: written beside the picture of the name, and read back exactly."""

from __future__ import annotations

import json
import re

from paucal import checks
from paucal.errors import GraphError, short

# What XML, HTML's numeric references or TeX cannot hold: control characters and halves of surrogate pairs.
UNHOLDABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:()/+*=-]")


def exact(name: str) -> str:
    r"""Write a name in a few harmless ASCII characters; all others become the escapes of JSON.

    >>> exact('a "b"')
    'a \\u0022b\\u0022'
    """
    return "".join(c if _PLAIN.fullmatch(c) else _escapes(c) for c in name)


def read_exact(text: str) -> str:
    """Read what `exact` wrote; it is the inside of a JSON string."""
    try:
        return str(json.loads(f'"{checks.text("text", text)}"'))
    except ValueError as error:
        raise GraphError(f"{short(text)} is not an exact name: {error}.", hint="Give what paucal wrote.") from None


def shown(name: str) -> str:
    r"""Put visible signs where a name has characters that formats cannot hold.

    >>> shown("a\x00b")
    'a␀b'
    """
    return UNHOLDABLE.sub(sign, name)


def _escapes(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def sign(match: re.Match[str]) -> str:
    """Give the visible sign for a character that cannot be seen, as `re.sub` asks for it."""
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
