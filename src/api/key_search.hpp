// The keys of one type that match a pattern, by SCAN, a page at a time.
#pragma once

#include "io/client_core.hpp"
#include "resp/value.hpp"

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace redlatch::detail {

/// Questions to one server in one write. An error that one of them gets is its answer. Blocks; throws error.
std::vector<resp::value> ask_together(std::shared_ptr<io::client_core> const& core, io::node& server,
                                      std::vector<std::string> commands, char const* subject);

/// Names each key once, on whatever servers it is found.
class key_search {
public:
    /// `type`: of their values, as SCAN calls it. `subject`: what is asked for, for messages.
    key_search(std::shared_ptr<io::client_core> core, std::string pattern, char const* type, char const* subject)
        : core_(std::move(core)), pattern_(std::move(pattern)), type_(type), subject_(subject) {}

    /// On one server: `each` gets what a page has named, between two round trips. Blocks; throws error, and what `each`
    /// throws.
    void visit(io::node& server, std::function<void(std::vector<std::string>)> const& each);

private:
    [[noreturn]] void give_up(io::node& server, std::string const& reason) const;
    void must_be_page(io::node& server, resp::value const& reply) const;

    std::shared_ptr<io::client_core> core_;
    std::string const pattern_;
    char const* const type_;
    char const* const subject_;
    /// SCAN may name a key twice, and a slot may move to a server that is yet to be asked.
    std::unordered_set<std::string> seen_{};
};

} // namespace redlatch::detail
