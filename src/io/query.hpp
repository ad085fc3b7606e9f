// A single question to the server that any answer ends: force release, a lock's owner.
#pragma once

#include "io/lock_call.hpp"
#include "io/query_op.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace redlatch::io {

class query final : public query_op {
public:
    /// `kind`: what the key is to be.
    query(std::shared_ptr<client_core> const& core, locking::wire_call call, std::string subject,
          std::string_view kind = "lock");
    ~query() override;

    /// The server's answer, which is no error, where result() is zero.
    resp::value const& reply() const noexcept { return reply_; }
    /// The answer came after a repetition: an earlier copy may have done what was asked.
    bool repeated() const noexcept { return repeated_; }
    std::string message() const { return message_of(result()); }
    /// As if it had ended so.
    std::string message_of(std::error_code code) const {
        return query_message(server(), about(), code, reply_, kind_, asked_.bytes);
    }

private:
    bool call() override;
    bool answered() const override { return call_.finished(); }
    bool on_called() override;

    locking::wire_call const asked_;
    std::string_view const kind_;
    lock_call call_;
    resp::value reply_;
    bool repeated_ = false;
};

} // namespace redlatch::io
