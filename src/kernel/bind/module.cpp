// The face of the kernel towards Python; src/paucal/_kernel.pyi describes it. The library checks every argument; what it
// refuses by std::invalid_argument and std::out_of_range is ValueError and IndexError there.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/arrays.hpp"
#include "data/counting.hpp"
#include "errors.hpp"
#include "isa/isa.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace paucal {

void bind_cells(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_special(nb::module_& m);
void bind_tests(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_augment(nb::module_& m);

namespace {

template <class Code> bool add_as(Columns& columns, nb::handle array, Index states, bool gaps) {
    Array1<Code> codes;
    if (!nb::try_cast(array, codes, false)) return false;
    columns.add(span_of<Code, 1>(codes), states, gaps);
    return true;
}

template <class Code> bool add_steps_as(Columns& columns, Index column, nb::handle array, Index states, bool gaps) {
    Array1<Code> codes;
    if (!nb::try_cast(array, codes, false)) return false;
    columns.add_steps(column, span_of<Code, 1>(codes), states, gaps);
    return true;
}

std::shared_ptr<Columns> make_columns(nb::sequence arrays, const std::vector<Index>& states, std::size_t rows,
                                      const std::vector<Index>& ordinal,
                                      const std::vector<std::tuple<Index, nb::object, Index>>& steps, bool gaps,
                                      const std::optional<Array1<Index>>& weights) {
    std::vector<Index> counts;
    if (weights) counts.assign(weights->data(), weights->data() + weights->size());
    auto columns = std::make_shared<Columns>(rows, std::move(counts));
    std::size_t i = 0;
    for (nb::handle array : arrays) {
        if (i == states.size()) refuse("there are more columns than the ", i, " numbers of states");
        if (!add_as<std::uint8_t>(*columns, array, states[i], gaps) &&
            !add_as<std::uint16_t>(*columns, array, states[i], gaps) &&
            !add_as<std::uint32_t>(*columns, array, states[i], gaps))
            throw nb::type_error("a column must be a contiguous array of uint8, uint16 or uint32");
        ++i;
    }
    if (i != states.size()) refuse("there are ", i, " columns, but ", states.size(), " numbers of states");
    for (const Index column : ordinal) columns->set_ordinal(column);
    for (const auto& [column, array, in] : steps)
        if (!add_steps_as<std::uint8_t>(*columns, column, array, in, gaps) &&
            !add_steps_as<std::uint16_t>(*columns, column, array, in, gaps) &&
            !add_steps_as<std::uint32_t>(*columns, column, array, in, gaps))
            throw nb::type_error("steps must be a contiguous array of uint8, uint16 or uint32");
    columns->finish();
    return columns;
}

nb::tuple count(const Columns& columns, Index x, Index y, const std::vector<Index>& given) {
    columns.check_question(x, y, given);
    Counter counter(columns);
    Counts& c = counter.count_relabelled({x, y, given.data(), static_cast<int>(given.size())});
    std::vector<Index> stratum, row, column, n(c.count);
    for (std::size_t s = 0; s < c.strata; ++s)
        for (Index i = c.cell_begin[s]; i < c.cell_begin[s + 1]; ++i) {
            stratum.push_back(static_cast<Index>(s));
            row.push_back(c.row_state[c.row_begin[s] + c.row[i]]);
            column.push_back(c.column_state[c.column_begin[s] + c.column[i]]);
        }
    return nb::make_tuple(to_numpy(std::move(stratum)), to_numpy(std::move(row)), to_numpy(std::move(column)),
                          to_numpy(std::move(n)), to_numpy(std::vector<Index>(c.first_row)));
}

}  // namespace
}  // namespace paucal

NB_MODULE(_kernel, m) {
    using namespace paucal;
    nb::set_leak_warnings(false);  // objects that a session keeps to its end are no mistake
    m.def("isa", [] { return std::string(hot().name); });
    m.def("use_isa", [](const std::string& name) { return use_isa(name); }, "name"_a);

    nb::class_<Columns>(m, "Columns")
        .def(nb::new_(&make_columns), "columns"_a, "states"_a, "rows"_a, nb::kw_only(), "ordinal"_a = std::vector<Index>{},
             "steps"_a = std::vector<std::tuple<Index, nb::object, Index>>{}, "gaps"_a = false,
             "weights"_a.noconvert().none() = nb::none())
        .def_prop_ro("samples", &Columns::samples)
        .def("count", &count, "x"_a, "y"_a, "given"_a);

    bind_cells(m);
    bind_rows(m);
    bind_special(m);
    bind_tests(m);
    bind_graphs(m);
    bind_augment(m);
}
