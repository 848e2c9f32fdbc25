// Text files: pieces of text in, codes and words out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bind/arrays.hpp"
#include "data/cells.hpp"
#include "errors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace paucal {

namespace {

nb::list words_of(const NumberedWords& column) {
    nb::list words;
    for (std::size_t i = 0; i < column.n_words(); ++i) {
        const std::string_view word = column.word(i);
        words.append(nb::str(word.data(), word.size()));
    }
    return words;
}

nb::list take_columns(CellReader& reader) {
    nb::list out;
    for (NumberedWords& column : reader.columns()) {
        nb::object codes = std::visit([](auto&& kept) { return to_numpy(std::move(kept)); }, column.take_codes());
        out.append(nb::make_tuple(codes, words_of(column)));
        column = NumberedWords();  // what was handed over need not be held
    }
    return out;
}

CellReader make_reader(const std::string& delimiter, std::size_t n_columns, std::vector<std::size_t> chosen,
                       bool skip_blanks) {
    if (delimiter.size() != 1) refuse("the delimiter must be one ASCII letter");
    return CellReader(delimiter[0], n_columns, std::move(chosen), skip_blanks);
}

bool feed(CellReader& reader, nb::bytes piece) {
    const std::string_view text(piece.c_str(), piece.size());
    nb::gil_scoped_release release;
    return reader.feed(text);
}

}  // namespace

void bind_cells(nb::module_& m) {
    nb::class_<CellReader>(m, "CellReader")
        .def(nb::new_(&make_reader), "delimiter"_a, "n_columns"_a, "chosen"_a, "skip_blanks"_a)
        .def("feed", &feed, "piece"_a)
        .def("finish", &CellReader::finish)
        .def_prop_ro("n_rows", &CellReader::n_rows)
        .def_prop_ro("n_behind", &CellReader::n_behind)
        .def_prop_ro("n_empty", &CellReader::n_empty)
        .def("take_columns", &take_columns);
}

}  // namespace paucal
