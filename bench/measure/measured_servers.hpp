// Independent servers of the benchmark's own, measured as one.
#pragma once

#include "measure/server.hpp"
#include "measure/work_meter.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace redlatch::bench {

/// All on the same cores.
class measured_servers final : public work_meter {
public:
    measured_servers(std::size_t count, std::string const& program, std::vector<int> const& cores);

    std::vector<address> places() const;
    /// Of all servers together.
    server_work work() const override;

private:
    std::vector<std::unique_ptr<server>> all_{};
};

} // namespace redlatch::bench
