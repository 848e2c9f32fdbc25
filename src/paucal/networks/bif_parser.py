r"""The text of a BIF file becomes a network.

The grammar that is read, where a name is a bare word or a text in double quotes::

    file         = network { variable | probability }
    network      = "network" [ name ] "{" { property } "}"
    variable     = "variable" name "{" { property | type } "}"
    type         = "type" "discrete" "[" count "]" "{" name ... "}" [ ";" ]
    probability  = "probability" "(" name [ "|" ] name ... ")" "{" { property | row | default | table } "}"
    row          = "(" level ... ")" number ... ";"    one per configuration of the parents, in any order
    default      = "default" number ... ";"            for every configuration without a row
    table        = "table" number ... ";"              the child's level slowest, the last parent fastest
    property     = "property" ... ";"                  skipped

As the format has it, commas are white space, and `//` and `/* */` begin comments anywhere outside quotes.
Inside quotes `\"`, `\\`, `\n` and `\r` stand for a quote, a backslash and the ends of lines: an addition of
ours, so that every name survives a round trip. Variables may be declared after the block that uses them.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from paucal.errors import NetworkError, short, unknown_name
from paucal.networks.bayesnet import BayesNet
from paucal.networks.tables import MAX_CELLS, ROW_TOLERANCE, row_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paucal.networks.tables import FloatArray

WORD = r'(?:[^\s,{}()\[\];|"/]+|/(?![/*]))+'
_TOKEN = re.compile(
    rf"""[\s,]*
       (?: ( {WORD}
           | [{{}}()\[\];|]
           | "(?:[^"\\\n]|\\[^\n])*"
           | /\*(?!.*?\*/).*          # opened and never closed: tokens that no rule takes
           )
         | (")(?:[^"\\\n]|\\[^\n])*\\?  # so is a quote; what follows it in the line is passed over, or a line
                                       # of quotes would be read as often as it has some
         | //[^\n]* | /\*.*?\*/      # comments: matched, not captured
       )""",
    re.VERBOSE | re.DOTALL,
)
_PUNCTUATION = frozenset('{}()[];|"') | {""}
_ESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\r": "\r"}
_END = ""  # the token after the last: compares unequal to everything that can stand in a file


def parse(text: str, where: str) -> BayesNet:
    """Read a network from text; `where` is what errors call the text."""
    # white space at the end, which no token follows, would be searched again and again
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip().rstrip(", \t\n")
    return _Parser(text, where).network()


class _Parser:
    """Recursive descent over the list of tokens; positions are worked out only when something is wrong."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where
        self.tokens: list[str] = [*filter(None, map("".join, _TOKEN.findall(text))), _END]
        self.at = 0
        self.levels: dict[str, tuple[str, ...]] = {}
        self.codes: dict[str, dict[str, int]] = {}  # of levels as their declaration spells them
        self.parents: dict[str, tuple[str, ...]] = {}
        self.tables: dict[str, FloatArray] = {}

    def network(self) -> BayesNet:
        self.take("network")
        name = "" if self.tokens[self.at] == "{" else self.name("the name of the network or '{'")
        self.take("{")
        self.body({})
        blocks = []
        while (word := self.tokens[self.at]) != _END:
            self.at += 1
            if word == "variable":
                self.variable()
            elif word == "probability":
                blocks.append(self.at)
                self.skip_past("}")
            else:
                self.expected("'variable' or 'probability'", at=self.at - 1)
        end = self.at
        for start in blocks:
            self.at = start
            self.probability()
        for node in self.levels:
            if node not in self.tables:
                self.fail(f"the variable {node!r} has no probability block", at=end)
        try:
            return BayesNet(self.levels, self.parents, self.tables, name=name)
        except NetworkError as error:
            raise NetworkError(f"{self.where}: {error.message}", hint=error.hint) from error

    def body(self, statements: dict[str, Callable[[], None]]) -> None:
        """Read statements up to the closing brace; properties say nothing about the distribution."""
        while (word := self.tokens[self.at]) != "}":
            if word == "property":
                self.skip_past(";")
            elif word in statements:
                self.at += 1
                statements[word]()
            else:
                self.expected(" or ".join(map(repr, [*statements, "property", "}"])))
        self.at += 1

    def variable(self) -> None:
        start = self.at
        name = self.name("the name of a variable")
        self.take("{")
        types: list[dict[str, str]] = []
        self.body({"type": lambda: types.append(self.type_())})
        if name in self.levels:
            self.fail(f"the variable {name!r} is declared twice", at=start)
        if len(types) != 1:
            self.fail(f"the variable {name!r} has {len(types)} types instead of one", at=start)
        self.levels[name] = tuple(types[0])
        self.codes[name] = {token: code for code, token in enumerate(types[0].values())}

    def type_(self) -> dict[str, str]:
        self.take("discrete", "[")
        start = self.at
        count = self.tokens[start]
        if not count.isdecimal():
            self.expected("the number of levels")
        self.at += 1
        self.take("]", "{")
        levels: dict[str, str] = {}  # each with its token
        while not self.met("}"):
            level = self.name("a level or '}'")
            if level in levels:
                self.fail(f"the level {level!r} is listed twice", at=self.at - 1)
            levels[level] = self.tokens[self.at - 1]
        self.met(";")
        if count.lstrip("0") != str(len(levels)):
            self.fail(f"{count} levels are announced and {len(levels)} are listed", at=start)
        return levels

    def probability(self) -> None:
        self.take("(")
        start = self.at
        child = self.declared()
        self.met("|")
        parents: list[str] = []
        while not self.met(")"):
            parents.append(self.declared())
            if parents[-1] == child or parents[-1] in parents[:-1]:
                self.fail(f"{parents[-1]!r} stands twice in one list of parents", at=self.at - 1)
        if child in self.tables:
            self.fail(f"{child!r} has two probability blocks", at=start)
        self.take("{")
        self.parents[child] = tuple(parents)
        self.tables[child] = self.table_of(child, parents)

    def table_of(self, child: str, parents: Sequence[str]) -> FloatArray:
        k = len(self.levels[child])
        shape = tuple(len(self.levels[parent]) for parent in parents)
        n_rows = math.prod(shape)
        rows: dict[tuple[int, ...], list[float]] = {}
        defaults: list[list[float]] = []
        tables: list[FloatArray] = []

        def row() -> None:
            start = self.at - 1
            key = tuple([self.level(parent) for parent in parents])
            self.take(")")
            if key in rows:
                self.fail("a second row for this configuration of the parents", at=start)
            rows[key] = self.distribution(k)

        def table() -> None:
            start = self.at
            values = np.array(self.numbers(k * n_rows)).reshape(k, n_rows).T
            if problem := row_problem(values):
                hint = "In a table the level of the child varies slowest." if parents else None
                self.fail(problem, at=start, hint=hint)
            tables.append(values)

        self.body({"(": row, "default": lambda: defaults.append(self.distribution(k)), "table": table})
        end = self.at - 1
        if len(tables) + len(defaults) > 1 or (tables and rows):
            self.fail(f"the probabilities of {child!r} are given more than once", at=end)
        if tables:
            return tables[0].reshape(*shape, k)
        if k * n_rows > MAX_CELLS:
            self.fail(f"the table of {child!r} would have {k * n_rows} cells", at=end)
        if len(rows) < n_rows and not defaults:
            gap = next(key for key in itertools.product(*map(range, shape)) if key not in rows)
            labels = ", ".join(self.levels[parent][code] for parent, code in zip(parents, gap, strict=True))
            missing = f"row for ({labels})" if parents else "table"
            self.fail(f"{child!r} has no {missing}", at=end)
        cells = np.empty((*shape, k))
        cells[...] = defaults[0] if defaults else math.nan
        for key, values in rows.items():
            cells[key] = values
        return cells

    def distribution(self, count: int) -> list[float]:
        start = self.at
        values = self.numbers(count)
        # most rows are good, and in files of half a million numbers this is quicker than an array for each
        if not (min(values) >= 0.0 and abs(sum(values) - 1.0) <= ROW_TOLERANCE) and (
            problem := row_problem(np.array([values]))
        ):
            self.fail(problem, at=start)
        return values

    def numbers(self, count: int) -> list[float]:
        values: list[float] = []
        tokens = self.tokens[self.at : self.at + count]
        try:  # what stands before a bad token is kept, and tells where it is
            if any("_" in token for token in tokens):  # Python's own way to group digits
                tokens = [token.replace("_", "?") for token in tokens]
            values.extend(map(float, tokens))
        except ValueError:
            self.at += len(values)
            self.expected(f"number {len(values) + 1} of {count}")
        self.at += count
        self.take(";")
        return values

    # ---- tokens

    def take(self, *tokens: str) -> None:
        for token in tokens:
            if not self.met(token):
                self.expected(repr(token))

    def met(self, token: str) -> bool:
        """Step over a token if it comes next."""
        found = self.tokens[self.at] == token
        self.at += found
        return found

    def name(self, what: str) -> str:
        token = self.tokens[self.at]
        if token in _PUNCTUATION or token.startswith("/*"):
            self.expected(what)
        self.at += 1
        return _unquote(token)

    def declared(self) -> str:
        name = self.name("the name of a variable")
        if name not in self.levels:
            problem = unknown_name("variable", name, self.levels)
            self.fail(f"the variable {name!r} is not declared", at=self.at - 1, hint=problem.hint)
        return name

    def level(self, variable: str) -> int:
        code = self.codes[variable].get(self.tokens[self.at])
        if code is not None:
            self.at += 1
            return code
        levels = self.levels[variable]
        label = self.name(f"a level of {variable!r}")
        if label not in levels:
            problem = unknown_name("level", label, levels)
            self.fail(f"{label!r} is not a level of {variable!r}", at=self.at - 1, hint=problem.hint)
        return levels.index(label)

    def skip_past(self, token: str) -> None:
        try:
            self.at = self.tokens.index(token, self.at) + 1
        except ValueError:
            self.expected(repr(token), at=len(self.tokens) - 1)

    def expected(self, what: str, *, at: int | None = None) -> NoReturn:
        at = self.at if at is None else at
        found = self.tokens[at]
        if found == '"' or found.startswith("/*"):
            self.fail(f"this {'quote' if found == chr(34) else 'comment'} is never closed", at=at)
        self.fail(f"expected {what}, found {short(found) if found else 'the end of the file'}", at=at)

    def fail(self, problem: str, *, at: int, hint: str | None = None) -> NoReturn:
        matches = (match for match in _TOKEN.finditer(self.text) if match.lastindex)
        match = next(itertools.islice(matches, at, None), None)
        offset = len(self.text) if match is None else match.start(match.lastindex or 0)
        line = self.text.count("\n", 0, offset) + 1
        column = offset - self.text.rfind("\n", 0, offset)
        raise NetworkError(f"{self.where}, line {line}, column {column}: {problem}.", hint=hint)


def _unquote(token: str) -> str:
    if token[0] != '"':
        return token
    return re.sub(r'\\["\\nr]', lambda match: _ESCAPES[match[0]], token[1:-1])
