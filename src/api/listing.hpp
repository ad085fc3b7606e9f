// All locks whose names match, as one operation of many round trips: each asks about the keys that the one before it named, and
// for the next page of each SCAN. In a cluster one master after the other.
#pragma once

#include "api/batch_series.hpp"
#include "api/listed.hpp"
#include "api/lock_scan.hpp"
#include "connection/holder_label.hpp"

#include <redlatch/lock_info.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace redlatch::detail {

class listing final : public batch_series {
public:
    /// Gets what one round trip brought.
    using visitor = listed<lock_info>::visitor;

    /// Without a visitor: take() has all of them.
    listing(std::shared_ptr<io::client_core> core, std::string const& pattern, look_options options, visitor each = {});

    std::vector<lock_info> take() noexcept { return found_.take(); }

private:
    bool ask() override;
    bool go_on_with_next_server();
    void on_answers(std::vector<resp::value> const& answers) override;
    void on_size(resp::value const& keys);
    void on_looks(std::vector<resp::value> const& answers);
    void on_page(lock_scan& scan, resp::value const& page);
    bool is_new(lock_scan const& scan, std::string_view name);
    bool is_scanned() const noexcept;

    std::string const pattern_;
    look_options const options_;

    std::vector<io::node*> servers_;           ///< still to be asked; the last one is being asked
    std::vector<lock_scan> scans_;             ///< of that server; the first one finds keys that are locks
    std::unordered_set<std::string> queued_{}; ///< names that the others have found
    std::vector<std::string> unseen_{};        ///< still to be looked at
    std::optional<connection::holder_labels> labels_{};

    std::vector<std::string> looked_at_{}; ///< by the latest batch; their answers come first
    bool asked_labels_ = false;            ///< by it, then
    bool asked_size_ = false;
    std::vector<lock_scan*> asked_pages_{}; ///< of each a page

    listed<lock_info> found_;
};

} // namespace redlatch::detail
