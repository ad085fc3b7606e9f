// All locks whose names match, as one operation of many round trips: each asks about the keys that the one before it named, and
// for the next page of each SCAN. In a cluster one master after the other.
#pragma once

#include "api/lock_scan.hpp"
#include "connection/holder_label.hpp"
#include "io/query_batch.hpp"

#include <redlatch/lock_info.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_set>
#include <vector>

namespace redlatch::detail {

class listing final : public io::operation {
public:
    /// Gets what one round trip brought.
    using visitor = std::function<void(std::vector<lock_info>)>;

    /// Without a visitor: take() has all of them.
    listing(std::shared_ptr<io::client_core> core, std::string const& pattern, look_options options, visitor each = {});

    bool step() override;
    bool ready() const override;

    std::error_code result() const noexcept { return result_; }
    std::string const& message() const noexcept { return message_; }
    std::vector<lock_info> take() noexcept { return std::move(found_); }

private:
    /// False: nothing is left to ask.
    bool ask();
    bool go_on_with_next_server();
    void on_answers();
    void on_size(resp::value const& keys);
    void on_looks(std::vector<resp::value> const& answers);
    void on_page(lock_scan& scan, resp::value const& page);
    bool is_new(lock_scan const& scan, std::string_view name);
    bool is_scanned() const noexcept;
    void must_be_answer(resp::value const& reply) const;

    std::shared_ptr<io::client_core> core_;
    std::string const pattern_;
    look_options const options_;
    visitor const each_;

    std::vector<io::node*> servers_;           ///< still to be asked; the last one is being asked
    std::vector<lock_scan> scans_;             ///< of that server; the first one finds keys that are locks
    std::unordered_set<std::string> queued_{}; ///< names that the others have found
    std::vector<std::string> unseen_{};        ///< still to be looked at
    std::optional<connection::holder_labels> labels_{};

    std::optional<io::query_batch> call_{};
    std::vector<std::string> looked_at_{}; ///< by call_; their answers come first
    bool asked_labels_ = false;            ///< by call_, then
    bool asked_size_ = false;
    std::vector<lock_scan*> asked_pages_{}; ///< of each a page

    std::vector<lock_info> found_{};
    std::error_code result_{};
    std::string message_{};
};

} // namespace redlatch::detail
