// Two numbers that are computed with at once: the same formula for the rows and for the columns of a table.
#pragma once

namespace paucal {

using Two = double __attribute__((vector_size(16)));

}  // namespace paucal
