// Columns of codes before they are packed.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <variant>

#include "bind/arrays.hpp"
#include "data/rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace paucal {
namespace {

using Array1OfCodes = std::variant<Array1<std::uint8_t>, Array1<std::uint16_t>, Array1<std::uint32_t>>;

Codes codes_of(const Array1OfCodes& array) {
    return std::visit([]<class T>(const Array1<T>& of) -> Codes { return span_of<T, 1>(of); }, array);
}

nb::object counts(const Array1OfCodes& codes, std::size_t size) {
    std::vector<std::int64_t> found;
    {
        nb::gil_scoped_release release;
        found = level_counts(codes_of(codes), size);
    }
    return to_numpy(std::move(found));
}

nb::tuple distinct(const std::vector<Array1OfCodes>& columns, const std::optional<Array1<std::uint32_t>>& weights) {
    DistinctRows found;
    {
        nb::gil_scoped_release release;
        std::vector<Codes> all;
        for (const Array1OfCodes& codes : columns) all.push_back(codes_of(codes));
        found = distinct_rows(all, weights ? span_of<std::uint32_t, 1>(*weights) : std::span<const std::uint32_t>{});
    }
    return nb::make_tuple(to_numpy(std::move(found.first)), to_numpy(std::move(found.count)));
}

}  // namespace

void bind_rows(nb::module_& m) {
    m.def("level_counts", &counts, "codes"_a.noconvert(), "size"_a);
    m.def("distinct_rows", &distinct, "columns"_a.noconvert(), "weights"_a.noconvert().none() = nb::none());
}

}  // namespace paucal
