"""Anything tabular -> `Dataset`: the only part of paucal that knows data frames and files.

encode      one column of values -> codes and levels: the rule for the order of levels
text        what the words of a text file mean; with numerals and calendars
kinds       what a column is: levels, ordered, number or name
discretize  numbers and dates -> intervals
scales      the order of levels, declared or known from their words
recode      answers that are none, levels that belong together, their order
preparation what is done to a table, as a value; preparation_words tells it and writes it as TOML
prepare     what is refused or warned about; missing values
choice      columns by name, range or pattern
source      where a table came from and what its reader decided
raw         a table as it stands in a file
tabular     anything tabular -> a raw table
frames      data frames, arrays and dicts, there and back
opening     any file, decompressed
formats     what a file is, by its bytes
decoding    bytes -> text: the encoding
dialect     what separates values; whether names come first
cells       text -> numbered words, by the kernel
delimited   CSV and its relatives
engine      DuckDB as a reader of files
columnar    Parquet and Feather
weights     rows that stand for many equal ones
counted_rows distinct rows of tables larger than memory, counted by DuckDB
connecting  relations of DuckDB
apart       another library in a process of its own, which runs foreign_reader
workbooks   Excel and OpenDocument
surveys     SPSS, Stata and SAS
r_objects   data frames of R
labelled    codes with labels, and codes for no answer
files       any file -> RawTable -> Dataset
dataset     the table that everything else works on
gaps        what is said to those who cannot take missing values
write       Dataset -> file
"""

from paucal.data.dataset import Dataset
from paucal.data.files import read

__all__ = ["Dataset", "read"]
