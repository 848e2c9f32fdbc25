// Delimited text -> numbered words, in one pass: every cell is looked up among the words of its column as it is read,
// so that no more is held than a code for every row and each word once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace paucal {

// The words of one column in order of appearance, and for every row the number of its word, in the narrowest type.
class NumberedWords {
public:
    using Codes = std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

    NumberedWords();
    void add(const char* start, std::size_t length);  // eight bytes behind the end can be read
    std::size_t n_words() const { return ends_.size(); }
    std::string_view word(std::size_t i) const;
    Codes take_codes() { return std::move(codes_); }

private:
    struct Place {
        std::uint64_t head = 0;  // the first eight bytes, with zeros behind the end
        std::uint32_t length = 0;
        std::uint32_t number = 0;  // of the word, from 1 on; 0 is an empty place
    };
    std::uint32_t find(const char* start, std::size_t length);
    void grow();
    void push(std::uint32_t number);

    std::vector<Place> places_;
    std::size_t mask_;
    std::string letters_;  // all words, one behind the other
    std::vector<std::size_t> ends_;
    Codes codes_;
};

// Reads pieces of UTF-8 text whose lines end in a line feed, by the rules of Python's csv module in its strict form.
class CellReader {
public:
    // Columns in `chosen` are numbered, the others only counted; `skip_blanks` are those before a value.
    CellReader(char delimiter, std::size_t n_columns, std::vector<std::size_t> chosen, bool skip_blanks);

    // False, from then on, if a line has too few or too many values, or a quotation mark is not where it may be.
    bool feed(std::string_view piece);
    bool finish();  // after the last piece

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_behind() const { return n_behind_; }  // empty values behind the last column
    std::size_t n_empty() const { return n_empty_; }    // lines of several values that are all empty: no rows
    std::vector<NumberedWords>& columns() { return columns_; }

private:
    enum class End { line, text, wrong };
    struct Cell {
        const char* start = nullptr;
        std::size_t length = 0;
    };
    bool read(const char* from, const char* to, bool final);
    End read_record(const char*& at, const char* to, bool final);
    End read_quoted(const char*& at, const char* to, bool final, Cell& cell);
    bool keep_record();

    char delimiter_;
    bool skip_blanks_;
    std::size_t n_columns_, n_rows_ = 0, n_behind_ = 0, n_empty_ = 0;
    std::vector<std::size_t> chosen_;
    std::vector<NumberedWords> columns_;
    std::vector<Cell> cells_;         // of the record that is being read; no more than there are columns
    std::size_t n_cells_ = 0;         // of it, also those behind the last column
    bool more_behind_ = false;        // one of those is not empty
    std::vector<std::string> plain_;  // cells whose doubled quotation marks were made single ones
    std::size_t n_plain_ = 0;
    std::string pending_;             // the beginning of a record whose end is not here yet
    std::size_t look_again_ = 0;      // when so much of it is here
    bool sound_ = true;
};

}  // namespace paucal
