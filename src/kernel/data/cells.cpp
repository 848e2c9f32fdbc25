#include "data/cells.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "errors.hpp"

namespace paucal {

namespace {

constexpr std::size_t kPadding = 8;  // that can be read behind every piece
constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u, kOther = 0xC2B2AE3D27D4EB4Fu;  // any large odd numbers
constexpr std::size_t kFirstPlaces = 16;
constexpr std::size_t kMostWords = 0xFFFFFFF0u;

// The first eight bytes; what lies behind the end counts as zeros.
std::uint64_t head_of(const char* start, std::size_t length) {
    std::uint64_t head;
    std::memcpy(&head, start, 8);
    if constexpr (std::endian::native == std::endian::big) {
        return length >= 8 ? head : length == 0 ? 0 : head & (~std::uint64_t{0} << (64 - 8 * length));
    } else {
        return length >= 8 ? head : head & ((std::uint64_t{1} << (8 * length)) - 1);
    }
}

std::uint64_t hash_of(std::uint64_t head, const char* start, std::size_t length) {
    std::uint64_t mixed = (head ^ length) * kOdd;
    for (std::size_t i = 8; i < length; i += 8)
        mixed = ((mixed ^ (mixed >> 29)) ^ head_of(start + i, length - i)) * kOther;
    return mixed ^ (mixed >> 32);
}

}  // namespace

NumberedWords::NumberedWords() : places_(kFirstPlaces), mask_(kFirstPlaces - 1) {}

std::string_view NumberedWords::word(std::size_t i) const {
    const std::size_t start = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(letters_).substr(start, ends_[i] - start);
}

void NumberedWords::add(const char* start, std::size_t length) { push(find(start, length)); }

std::uint32_t NumberedWords::find(const char* start, std::size_t length) {
    const std::uint64_t head = head_of(start, length);
    for (std::size_t at = hash_of(head, start, length) & mask_;; at = (at + 1) & mask_) {
        Place& place = places_[at];
        if (place.number == 0) {
            if (length >= kMostWords || ends_.size() >= kMostWords) refuse("a text of so many words cannot be read");
            place = {head, static_cast<std::uint32_t>(length), static_cast<std::uint32_t>(ends_.size() + 1)};
            letters_.append(start, length);
            ends_.push_back(letters_.size());
            if (2 * ends_.size() > places_.size()) grow();
            return static_cast<std::uint32_t>(ends_.size() - 1);
        }
        if (place.head == head && place.length == length &&
            (length <= 8 || std::memcmp(word(place.number - 1).data() + 8, start + 8, length - 8) == 0))
            return place.number - 1;
    }
}

void NumberedWords::grow() {
    std::vector<Place> old(2 * places_.size());
    old.swap(places_);
    mask_ = places_.size() - 1;
    letters_.append(kPadding, '\0');  // the last word is read in eights
    for (const Place& place : old) {
        if (place.number == 0) continue;
        std::size_t at = hash_of(place.head, word(place.number - 1).data(), place.length) & mask_;
        while (places_[at].number != 0) at = (at + 1) & mask_;
        places_[at] = place;
    }
    letters_.resize(letters_.size() - kPadding);
}

void NumberedWords::push(std::uint32_t number) {
    if (auto* narrow = std::get_if<std::vector<std::uint8_t>>(&codes_)) {
        if (number <= 0xFF) return narrow->push_back(static_cast<std::uint8_t>(number));
        codes_ = std::vector<std::uint16_t>(narrow->begin(), narrow->end());
    }
    if (auto* middle = std::get_if<std::vector<std::uint16_t>>(&codes_)) {
        if (number <= 0xFFFF) return middle->push_back(static_cast<std::uint16_t>(number));
        codes_ = std::vector<std::uint32_t>(middle->begin(), middle->end());
    }
    std::get<std::vector<std::uint32_t>>(codes_).push_back(number);
}

CellReader::CellReader(char delimiter, std::size_t n_columns, std::vector<std::size_t> chosen, bool skip_blanks)
    : delimiter_(delimiter), skip_blanks_(skip_blanks), n_columns_(n_columns), chosen_(std::move(chosen)),
      columns_(chosen_.size()), cells_(n_columns) {
    if (n_columns == 0) refuse("a text has at least one column");
    if (delimiter == '\n' || delimiter == '"') refuse("lines and quotation marks cannot separate values");
    for (const std::size_t column : chosen_)
        if (column >= n_columns) throw std::out_of_range(say("there is no column ", column, " of ", n_columns));
}

bool CellReader::feed(std::string_view piece) {
    if (!sound_) return false;
    pending_.append(piece);
    if (pending_.size() < look_again_) return true;
    const std::size_t size = pending_.size();
    pending_.append(kPadding, '\0');
    return sound_ = read(pending_.data(), pending_.data() + size, false);
}

bool CellReader::finish() {
    if (!sound_) return false;
    const std::size_t size = pending_.size();
    pending_.append(kPadding, '\0');
    return sound_ = read(pending_.data(), pending_.data() + size, true);
}

// Reads all records that are complete, and keeps the rest for later.
bool CellReader::read(const char* from, const char* to, bool final) {
    while (from < to) {
        const char* at = from;
        const End end = read_record(at, to, final);
        if (end == End::wrong) return false;
        if (end == End::text && !final) break;
        if (!keep_record()) return false;
        from = at;
    }
    pending_.resize(static_cast<std::size_t>(to - pending_.data()));
    pending_.erase(0, static_cast<std::size_t>(from - pending_.data()));
    look_again_ = 2 * pending_.size();  // a record without end is not looked through for every piece
    return true;
}

// Finds the cells of one record; `at` is behind it then.
CellReader::End CellReader::read_record(const char*& at, const char* to, bool final) {
    n_cells_ = n_plain_ = 0;
    more_behind_ = false;
    if (at < to && *at == '\n') {  // no value at all
        ++at;
        return End::line;
    }
    for (;;) {
        if (skip_blanks_)
            while (at < to && *at == ' ') ++at;
        Cell cell{at, 0};
        if (at < to && *at == '"') {
            const End end = read_quoted(at, to, final, cell);
            if (end != End::line) return end;
        } else {
            while (at < to && *at != delimiter_ && *at != '\n') ++at;
            cell.length = static_cast<std::size_t>(at - cell.start);
        }
        if (n_cells_ < n_columns_) cells_[n_cells_] = cell;
        else more_behind_ = more_behind_ || cell.length > 0;
        ++n_cells_;
        if (at == to) return End::text;
        if (*at++ == '\n') return End::line;
    }
}

// Reads a cell from its first quotation mark on; `line` means that it is closed and another cell or line may follow.
CellReader::End CellReader::read_quoted(const char*& at, const char* to, bool final, Cell& cell) {
    const char* start = ++at;
    std::string* plain = nullptr;
    for (;;) {
        const auto* mark = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(to - at)));
        if (mark == nullptr) return final ? End::wrong : End::text;
        at = mark + 1;
        if (at < to && *at == '"') {  // a doubled mark is one letter
            if (plain == nullptr) {
                if (plain_.empty()) plain_.resize(n_columns_);
                plain = &plain_[std::min(n_plain_++, n_columns_ - 1)];  // one behind the last column is refused anyway
                plain->clear();
            }
            plain->append(start, static_cast<std::size_t>(at - start));
            start = ++at;
            continue;
        }
        if (at == to && !final) return End::text;  // the next piece may double it
        if (at < to && *at != delimiter_ && *at != '\n') return End::wrong;
        if (plain == nullptr) {
            cell = {start, static_cast<std::size_t>(mark - start)};
        } else {
            plain->append(start, static_cast<std::size_t>(mark - start));
            cell.length = plain->size();
            plain->append(kPadding, '\0');
            cell.start = plain->data();
        }
        return End::line;
    }
}

// Numbers the cells of a record; false if it does not fit the columns.
bool CellReader::keep_record() {
    if (n_columns_ > 1 && (n_cells_ == 0 || (n_cells_ == 1 && cells_[0].length == 0))) return true;  // a blank line
    if (n_cells_ == 0) {  // of one column, it is an empty value
        cells_[0] = {"\0\0\0\0\0\0\0", 0};
        n_cells_ = 1;
    }
    if (n_cells_ < n_columns_ || more_behind_) return false;
    n_behind_ += n_cells_ - n_columns_;
    if (n_columns_ > 1 && std::all_of(cells_.begin(), cells_.end(), [](const Cell& cell) { return cell.length == 0; })) {
        ++n_empty_;
        return true;
    }
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
        const Cell& cell = cells_[chosen_[i]];
        columns_[i].add(cell.start, cell.length);
    }
    ++n_rows_;
    return true;
}

}  // namespace paucal
