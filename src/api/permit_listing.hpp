// All permit semaphores whose names match. Those of which permits are taken are found by what is taken, a sorted set beside the
// number; nothing else tells them from semaphores and latches.
#pragma once

#include "api/key_visit.hpp"
#include "api/listed.hpp"
#include "api/number_questions.hpp"

#include <redlatch/permit_info.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::detail {

class permit_listing final : public key_look {
public:
    static constexpr char const* about = "listing permit semaphores";

    permit_listing(std::shared_ptr<io::client_core> core, std::string_view pattern, permit_visit_options options,
                   listed<permit_info>::visitor each = {});

    char const* subject() const noexcept override { return about; }
    std::vector<key_scan> scans() const override;
    void begin(std::size_t scan, std::vector<std::string> keys) override;
    std::vector<std::string> ask() override;
    void on_answers(io::node& server, std::vector<resp::value> const& answers) override;
    std::vector<permit_info> take() noexcept { return found_.take(); }

private:
    /// One SCAN for the keys that say what is taken. "{x}:timeout" belongs to 'x', and to '{x}' as well.
    struct permit_scan {
        std::string pattern;
        bool bare = true;   ///< it may belong to 'x'
        bool tagged = true; ///< and to a name with brackets of its own
    };
    static std::vector<permit_scan> scans_for(std::string_view pattern);
    static std::vector<std::string> names_of(std::string_view key, permit_scan const& found_by);
    void show(std::vector<resp::value> const& answers);

    std::shared_ptr<io::client_core> const core_;
    std::string const pattern_;
    permit_visit_options const options_;
    std::vector<permit_scan> const scans_; ///< unless those are shown too of which none is taken
    number_questions questions_{};         ///< then
    bool asked_numbers_ = false;           ///< the latest commands are those of questions_
    std::vector<std::string> names_{};     ///< still to be looked at
    std::vector<std::string> looked_at_{}; ///< by the latest commands
    std::vector<permit_info> unreadable_{};
    listed<permit_info> found_;
};

} // namespace redlatch::detail
