// Three masters that know nothing of each other: those of a red lock.
#pragma once

#include "support/redis_server.hpp"
#include "topology.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace redlatch::chaos {

class independent_masters : public topology {
public:
    test::redis_server& server(std::size_t index) { return servers_.at(index); }

    /// All of them, with blanks between: as worker_settings has it.
    std::string uri() const override;
    bool somebody_listens(std::string const& lock) const override;
    std::vector<std::string> keys(std::string const& pattern) const override;

private:
    static test::redis_server started() { return test::redis_server({.over = test::server_options::transport::tcp}); }

    std::array<test::redis_server, 3> servers_{started(), started(), started()};
};

} // namespace redlatch::chaos
