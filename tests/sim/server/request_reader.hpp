// A client's bytes, cut into commands, with the protocol errors of Redis. Quotes in inline commands ("GET x\r\n", as typed by
// hand) mean nothing here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redlatch::sim {

/// begin(bytes), next() until it is not a command, end(). Views are valid until end().
class request_reader {
public:
    enum class result { command, need_more, broken };

    void begin(std::string_view bytes);
    result next(std::vector<std::string_view>& argv);
    void end();

    /// Before a client has authenticated itself, its commands have to be small.
    void set_trusted(bool trusted) noexcept { trusted_ = trusted; }
    /// After `broken`: what is answered, "ERR Protocol error: ...".
    std::string const& problem() const noexcept { return problem_; }

private:
    result next_array(std::vector<std::string_view>& argv);
    result next_inline(std::vector<std::string_view>& argv);
    result broken(std::string_view what);

    std::string pending_;     ///< the beginning of a command, between two calls of begin()
    std::string_view window_; ///< what is not consumed yet
    std::string problem_;
    bool trusted_ = true;
};

} // namespace redlatch::sim
