"""Raw data on their way in: described, prepared as proposed, and told about; a `Dataset` is taken as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from paucal import checks
from paucal.data import Dataset
from paucal.data.dataset import from_tabular
from paucal.data.preparation import Preparation, preparation_of
from paucal.data.preparation_words import in_short
from paucal.data.tabular import Tabular, raw_again, tabular
from paucal.errors import Argument, DataError, FileWarning, PreparationWarning, warn
from paucal.inspection.describe import examine
from paucal.inspection.groups import with_groups
from paucal.inspection.proposal import look, propose, repeated_rows, row_groups

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from paucal.data.preparation import Preparing
    from paucal.inspection.proposal import Looked


@dataclass(frozen=True, eq=False)
class Intake:
    """A raw table, what was found in it, and what somebody said about it."""

    came: Tabular
    chosen: Tabular
    said: Preparation
    settle_gaps: bool
    named: Collection[str] = ()  # columns of a question: never left out, and levels even if they name the rows
    kept: Collection[str] = ()  # columns that are never left out

    @cached_property
    def looked(self) -> Looked | None:
        """What was found; None in a table without rows."""
        return look(self.chosen.table, self.said) if self.chosen.table.n_rows else None

    @cached_property
    def proposal(self) -> Preparation:
        """What is proposed; an error if nothing can be."""
        if self.looked is None:
            n = len(self.came.table.names)
            raise self._placed(DataError(f"The data have {n} columns and no rows.", hint="Give at least one row."))
        try:
            return propose(self.looked, self.said, self.named, self.kept, settle_gaps=self.settle_gaps)
        except DataError as error:
            raise self._placed(error) from error

    def checked_proposal(self) -> Preparation:
        """Propose only what can be carried out: whatever a search would refuse is refused here."""
        self.dataset(told=False)
        return self.proposal

    def dataset(self, *, told: bool = True) -> Dataset:
        """Carry the proposal out; `told` is whether to warn of what is of no use."""
        proposal = self.proposal
        try:
            return from_tabular(self.came, proposal, told=told)
        except DataError as error:
            raise self._placed(error) from error

    def _placed(self, error: DataError) -> DataError:
        return error.within(self.came.label) if self.came.label else error


def take_in(data: Any, said: Mapping[str, Any], named: Collection[str] = (), kept: Collection[str] = ()) -> Intake:
    """Read data as they are, and choose columns."""
    own = preparation_of(said)
    if isinstance(data, Dataset):
        came = Tabular(raw_again(data), data.frame_kind)
        own = replace(own, kinds=dict(zip(data.names, data.kinds, strict=True)) | dict(own.kinds))
    else:
        came = tabular(data)
    chosen = came.chosen(own)
    own = own.spelled_out(came.table.names)
    if own.columns is not None:  # patterns become names, for those who read it
        own = replace(own, columns=chosen.table.names, leave_out={})
    elif own.leave_out:
        gone = [name for name in came.table.names if name not in chosen.table.names]
        own = replace(own, leave_out={name: own.leave_out.get(name, "") or "as you said" for name in gone})
    return Intake(came, chosen, own, "missing" not in said, named, kept)


def prepare(data: Any, **said: Unpack[Preparing]) -> Preparation:
    """Propose how to prepare a table before anything is learned from it.

    Parameters
    ----------
    data
        A data frame, an array, a dict of columns or the path of a file.
    said
        What you have decided already: `columns`, `leave_out`, `kinds`, `no_answer`, `merge`, `order`, `discretize`,
        `missing`, `drop_unobserved`.

    Returns
    -------
    Preparation
        It prints in plain words; `to_toml()` writes it for you to edit; `paucal.learn` and the others take it in place
        of these arguments.

    Examples
    --------
    >>> import paucal
    >>> rows = range(60)
    >>> table = {"id": [f"p{i}" for i in rows], "age": [20 + i * i % 47 for i in rows], "sex": ["f", "m"] * 30}
    >>> print(paucal.prepare(table))
    60 rows and 3 columns read, 60 rows and 2 columns used.
    Left out:
      id  names the rows: 60 of 60 rows have a value that no other row has
    Taken as:
      age  number (24 different whole numbers in 60 rows)
    """
    return take_in(data, said).checked_proposal()


def ready(
    data: Any,
    said: Mapping[str, Any],
    *,
    as_is: bool = False,
    named: Collection[str] = (),
    kept: Collection[str] = (),
) -> Dataset:
    """Make a data set of anything: raw data are prepared as proposed, unless `as_is`, and what was done is told."""
    if isinstance(data, Dataset) and not said:
        return data
    if checks.flag("as_is", as_is) or isinstance(data, Dataset):
        return Dataset.of(data, **said)
    taken = take_in(data, said, named, kept)
    if notes := taken.came.table.source.notes:
        warn(FileWarning(f"{taken.came.label}: {' '.join(notes)}"))
    found = taken.dataset()
    told = in_short(replace(taken.proposal, **_unsaid(taken)))
    if told is not None:
        keeps = (Argument("kinds"), " keeps a column that is left out, ") if taken.proposal.leave_out else ()
        hint = ("paucal.prepare(data) says why, ", *keeps, Argument("as_is", True), " turns this off.")
        warn(PreparationWarning(told, hint=hint))
    return found


def question_data(
    data: Any, x: object, y: object, given: object, said: Mapping[str, Any], *, as_is: bool = False
) -> Dataset:
    """Make a data set for one question: of raw data only its columns are prepared, and none of them is left out."""
    if checks.flag("as_is", as_is):
        return Dataset.of(data, **said)
    came = tabular(data)
    asked = [x, y, *(given if isinstance(given, list | tuple) else ())]
    for name in asked:
        if isinstance(name, str):  # whoever asks the question refuses what is no name
            checks.known("column", name, came.table.names)
    names = [name for name in came.table.names if name in set(map(str, asked))]  # in this order: the same bits
    if len(names) < len(set(map(str, asked))) or "columns" in said:
        names = list(came.table.names)
    found = ready(came, {"columns": names, **said}, named=names)
    if "columns" in said:
        return found
    if (told := groups_beside(came, said, names)) is not None:
        warn(PreparationWarning(f"{told[0].upper()}{told[1:]}."))
    return among(found, came, said, names)


def groups_beside(came: Tabular, said: Mapping[str, Any], asked: Collection[str]) -> str | None:
    """Say what makes rows depend on each other, if a column that a question does not name tells it."""
    own = preparation_of(said).spelled_out(came.table.names)
    pairs = list(zip(came.table.names, came.table.columns, strict=True))
    if own.repeats is not None or own.weights is not None or pairs[0][1].weights is not None:
        return None
    examined = with_groups([examine(name, one, said=own.kinds.get(name)) for name, one in pairs], tuple(own.kinds))
    found = row_groups(examined, set(came.table.names).difference(asked))
    return None if found is None else repeated_rows(found)


def among(found: Dataset, came: Tabular, said: Mapping[str, Any], named: Collection[str]) -> Dataset:
    """Let the columns of a question know whether the table that they are from has numbers or ordered columns."""
    own = preparation_of(said).spelled_out(came.table.names).kinds
    if {"number", "ordered"} & set(found.kinds):
        return found
    others = [pair for pair in zip(came.table.names, came.table.columns, strict=True) if pair[0] not in found.names]
    if not any(examine(name, one, said=own.get(name)).taken.kind in ("number", "ordered") for name, one in others):
        return found
    try:
        whole = take_in(came, said, named).dataset(told=False)
    except DataError:  # then there is no data set to agree with
        return found
    return replace(found, among_ordered=bool({"number", "ordered"} & set(whole.kinds)))


def _unsaid(taken: Intake) -> dict[str, Any]:
    """Give what need not be told, because somebody said it: as if nothing were done there."""
    proposal, said = taken.proposal, taken.said
    kept: dict[str, Any] = {
        name: {column: value for column, value in getattr(proposal, name).items() if column not in getattr(said, name)}
        for name in ("leave_out", "no_answer", "merge")
    }
    if said.discretize is not None:
        kept["discretize"] = None
    return kept
