// Which of some strings are numbers: what semaphores and latches are on the server, which does not know what a number counts.
#pragma once

#include "io/client_core.hpp"
#include "resp/value.hpp"

#include <redlatch/counter_info.hpp>

#include <string>
#include <utility>
#include <vector>

namespace redlatch::detail {

/// begin(), ask() and on_answers(): as those of key_look.
class number_questions {
public:
    void begin(std::vector<std::string> keys) { unseen_ = std::move(keys); }
    std::vector<std::string> ask();
    void on_answers(io::node& server, std::vector<resp::value> const& answers);
    /// The numbers among the keys, with their names on the server; those that belong to a lock or a request are left out.
    std::vector<counter_info> take() noexcept { return std::exchange(found_, {}); }

private:
    std::vector<std::string> unseen_{}; ///< still to be asked about
    std::vector<std::string> asked_{};
    std::vector<counter_info> found_{};
};

} // namespace redlatch::detail
