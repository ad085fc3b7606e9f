// A single question to the server that any answer ends: inspection, force release, ping.
#pragma once

#include "io/client_core.hpp"
#include "io/lock_call.hpp"
#include "io/operation.hpp"

#include <memory>
#include <string>
#include <variant>

namespace redlatch::io {

class query final : public operation {
public:
    /// A script, or the bytes of a plain command.
    using question = std::variant<locking::script_call, std::string>;

    query(std::shared_ptr<client_core> core, question what, std::string about);

    bool step() override;
    bool ready() const override;

    /// Zero: reply() is the server's answer and no error.
    std::error_code result() const noexcept { return result_; }
    resp::value const& reply() const noexcept { return reply_; }
    /// The answer came after a repetition: an earlier copy may have done what was asked.
    bool repeated() const noexcept { return repeated_; }
    std::string sentence() const;

private:
    enum class stage { beginning, calling, pausing, finished };
    bool call();
    bool on_called();
    bool finish(std::error_code how);

    std::shared_ptr<client_core> core_;
    question const what_;
    std::string const about_;
    base::instant const deadline_;
    stage stage_ = stage::beginning;
    lock_call script_;
    connection::call_ptr plain_;
    resp::value reply_;
    bool repeated_ = false;
    std::error_code result_;
};

} // namespace redlatch::io
