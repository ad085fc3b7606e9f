// The two scripts as a C programmer would send them: one redisCommandArgv each.
#pragma once

#include "address.hpp"

#include <memory>
#include <string>

struct redisContext;

namespace redlatch::bench {

class hiredis_locker {
public:
    hiredis_locker(address const& where, std::string name, std::string owner);

    /// Throws std::runtime_error when the lock is not free.
    void acquire();
    void release();

private:
    struct closer {
        void operator()(redisContext* context) const noexcept;
    };

    std::unique_ptr<redisContext, closer> context_;
    std::string name_;
    std::string channel_;
    std::string owner_;
};

} // namespace redlatch::bench
