"""Anything tabular -> `Dataset`: the only part of paucal that knows data frames and files.

encode      one column of values -> codes and levels: the rule for the order of levels
text        what the words of a text file mean
discretize  numbers -> intervals
prepare     what is refused or warned about; missing values; what was done, as a value
frames      data frames, arrays and dicts, there and back
engine      DuckDB as a reader of files
delimited   CSV and its relatives: encoding, separator, header, lines
columnar    Parquet and Feather
source      where a table came from and what its reader decided
raw         a table as it stands in a file
files       any file -> RawTable -> Dataset
dataset     the table that everything else works on
write       Dataset -> file
"""

from paucal.data.dataset import Dataset
from paucal.data.files import read

__all__ = ["Dataset", "read"]
