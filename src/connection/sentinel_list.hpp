// The Sentinels of a master, in the order in which they are asked.
#pragma once

#include "connection/host_and_port.hpp"

#include <vector>

namespace redlatch::connection {

/// Not thread-safe.
class sentinel_list {
public:
    /// Those of the configuration, which are never forgotten.
    explicit sentinel_list(std::vector<host_and_port> configured);

    std::vector<host_and_port> const& in_order() const noexcept { return order_; }

    /// It has answered: it is asked first.
    void on_answer(host_and_port const& sentinel);
    /// It did not, or what it said was no help: it is asked last.
    void on_failure(host_and_port const& sentinel);
    /// One of them knows of these others, as they can be reached from here. New ones are asked last; who is neither among them
    /// nor configured nor `by` itself is forgotten.
    void on_others(std::vector<host_and_port> const& others, host_and_port const& by);

private:
    std::vector<host_and_port> configured_;
    std::vector<host_and_port> order_;
};

} // namespace redlatch::connection
