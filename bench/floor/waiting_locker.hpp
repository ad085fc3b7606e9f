// A floor that waits: a raw locker and a subscription on a connection of its own, kept from the first wait on.
#pragma once

#include "floor/raw_locker.hpp"

#include <memory>

namespace redlatch::bench {

class waiting_locker {
public:
    waiting_locker(address where, form which, std::string const& name, std::string const& owner);

    void acquire();
    void release() { locker_.release(); }

private:
    void subscribe();

    address where_;
    std::string channel_;
    raw_locker locker_;
    std::unique_ptr<raw_connection> subscription_{};
};

} // namespace redlatch::bench
