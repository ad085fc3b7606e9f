// Bytes in, replies out. The only user of hiredis (its reader), which stays hidden behind this file.
#pragma once

#include "resp/value.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace redlatch::resp {

/// Bounds on what a server may make us keep. A reply beyond one of them is a broken stream.
struct limits {
    std::size_t bytes_per_reply = std::size_t{64} << 20; ///< raw bytes buffered for one reply
    std::size_t items_per_reply = std::size_t{1} << 20;  ///< elements of all arrays of one reply, together
};

/// An incremental parser. Not thread-safe. After `broken` every further call says `broken`: the connection is useless.
class reader {
public:
    enum class result { value, need_more, broken };

    explicit reader(limits const& bounds = {});
    ~reader();
    reader(reader&&) noexcept;
    reader& operator=(reader&&) noexcept;

    /// Takes bytes as they come, in pieces of any size.
    void feed(std::string_view bytes);

    /// The next complete reply, moved into `out`; else `out` is left as it is. Ask again until it says something else than
    /// `value`. Never throws: bad input and missing memory break the stream.
    result next(value& out);

    /// After `broken`: what was wrong, as a message without the connection's name.
    std::string const& problem() const noexcept;

private:
    struct parser;
    std::unique_ptr<parser> parser_;
};

} // namespace redlatch::resp
