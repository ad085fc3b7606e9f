// The keys of one type that match a pattern, and what is asked about them, as one operation of many round trips: a page of SCAN
// names keys, then each of them is asked about, then comes the next page. In a cluster one master after the other.
#pragma once

#include "api/batch_series.hpp"
#include "api/scan_bounds.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace redlatch::detail {

/// Which keys are looked for.
struct key_scan {
    std::string pattern;
    char const* type; ///< of their values, as SCAN calls it
};

/// What is asked about keys, and what becomes of the answers.
class key_look {
public:
    key_look() = default;
    key_look(key_look const&) = delete;
    key_look& operator=(key_look const&) = delete;
    virtual ~key_look() = default;

    /// What is asked for, for messages.
    virtual char const* subject() const noexcept = 0;
    /// One after the other.
    virtual std::vector<key_scan> scans() const = 0;
    /// These have been named by a page: `scan` of scans() has found them.
    virtual void begin(std::size_t scan, std::vector<std::string> keys) = 0;
    /// The next commands about them, for one write; none: that was all.
    virtual std::vector<std::string> ask() = 0;
    /// To these commands, which that server has answered. An error is the answer to one of them. May throw.
    virtual void on_answers(io::node& server, std::vector<resp::value> const& answers) = 0;
};

class key_visit final : public batch_series {
public:
    key_visit(std::shared_ptr<io::client_core> core, std::shared_ptr<key_look> look);

private:
    bool ask() override;
    bool ask_for_page();
    bool begin_next();
    void on_answers(std::vector<resp::value> const& answers) override;
    void on_page(std::vector<resp::value> const& answers);

    std::shared_ptr<key_look> const look_;
    std::vector<key_scan> const scans_;
    std::size_t scan_ = 0;                   ///< of scans_, the one that is carried out
    std::vector<io::node*> servers_;         ///< still to be asked by it; the last one is being asked
    std::optional<std::string> cursor_{"0"}; ///< of the next page; none: that was the last one
    scan_bounds bounds_{};
    /// By this scan: SCAN may name a key twice, and a slot may move to a server that is yet to be asked.
    std::unordered_set<std::string> seen_{};
    std::optional<std::string> endless_{}; ///< why no further page is asked for

    bool asked_page_ = false; ///< by the latest batch
    bool asked_size_ = false; ///< by it, too
};

} // namespace redlatch::detail
