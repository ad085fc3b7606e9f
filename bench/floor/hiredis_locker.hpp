// A lock as a C programmer would write it with hiredis: redisCommandArgv, and two commands in one write where there are two.
#pragma once

#include "floor/lock_requests.hpp"
#include "measure/address.hpp"

#include <memory>
#include <string>

struct redisContext;

namespace redlatch::bench {

class hiredis_locker {
public:
    hiredis_locker(address const& where, form which, std::string const& name, std::string const& owner);

    /// Throws std::runtime_error when the lock is not free.
    void acquire();
    void release();

private:
    struct closer {
        void operator()(redisContext* context) const noexcept;
    };

    std::unique_ptr<redisContext, closer> context_;
    lock_requests requests_;
};

} // namespace redlatch::bench
