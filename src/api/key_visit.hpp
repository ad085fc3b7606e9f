// The keys of one type that match a pattern, and what is asked about them, as one operation of many round trips: a page of SCAN
// names keys, then each of them is asked about, then comes the next page. In a cluster one master after the other.
#pragma once

#include "api/scan_bounds.hpp"
#include "io/query_batch.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
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
    /// These have been named by a page, on that server: `scan` of scans() has found them.
    virtual void begin(io::node& server, std::size_t scan, std::vector<std::string> keys) = 0;
    /// The next commands about them, for one write; none: that was all.
    virtual std::vector<std::string> ask() = 0;
    /// To these commands. An error is the answer to one of them. May throw.
    virtual void on_answers(io::node& server, std::vector<resp::value> const& answers) = 0;
};

class key_visit final : public io::operation {
public:
    key_visit(std::shared_ptr<io::client_core> core, std::shared_ptr<key_look> look);

    bool step() override;
    bool ready() const override;

    std::error_code result() const noexcept { return result_; }
    std::string const& message() const noexcept { return message_; }

private:
    bool ask();
    bool ask_for_page();
    bool begin_next();
    void on_answers();
    void on_page(std::vector<resp::value> const& answers);
    void fail(std::error_code result, std::string message);

    std::shared_ptr<io::client_core> const core_;
    std::shared_ptr<key_look> const look_;
    std::vector<key_scan> const scans_;
    std::size_t scan_ = 0;                   ///< of scans_, the one that is carried out
    std::vector<io::node*> servers_;         ///< still to be asked by it; the last one is being asked
    std::optional<std::string> cursor_{"0"}; ///< of the next page; none: that was the last one
    scan_bounds bounds_{};
    /// By this scan: SCAN may name a key twice, and a slot may move to a server that is yet to be asked.
    std::unordered_set<std::string> seen_{};
    std::optional<std::string> endless_{}; ///< why no further page is asked for

    std::optional<io::query_batch> call_{};
    bool asked_page_ = false; ///< by call_
    bool asked_size_ = false; ///< by call_, too

    std::error_code result_{};
    std::string message_{};
};

} // namespace redlatch::detail
