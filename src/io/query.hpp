// A single question to the server that any answer ends: force release, a lock's owner.
#pragma once

#include "io/lock_call.hpp"
#include "io/query_op.hpp"

#include <memory>
#include <string>

namespace redlatch::io {

class query final : public query_op {
public:
    query(std::shared_ptr<client_core> core, locking::wire_call call, std::string subject);
    ~query() override;

    /// The server's answer, which is no error, where result() is zero.
    resp::value const& reply() const noexcept { return reply_; }
    /// The answer came after a repetition: an earlier copy may have done what was asked.
    bool repeated() const noexcept { return repeated_; }
    std::string message() const { return query_message(server(), about(), result(), reply_); }

private:
    bool call() override;
    bool answered() const override { return call_.finished(); }
    bool on_called() override;

    locking::wire_call const asked_;
    lock_call call_;
    resp::value reply_;
    bool repeated_ = false;
};

} // namespace redlatch::io
