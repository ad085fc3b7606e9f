#include "api/permit_listing.hpp"

#include "api/name_prefix.hpp"
#include "api/permit_view.hpp"
#include "locking/names.hpp"
#include "locking/recipes/permits.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace redlatch::detail {
namespace {

constexpr std::string_view timeouts_suffix = ":timeout";

void add_name(std::vector<std::string>& names, std::string_view name, std::string_view key) {
    bool const fits =
        !name.empty() && name.size() <= locking::longest_name && locking::permits::timeouts_of(name) == key;
    if (fits) names.emplace_back(name);
}

} // namespace

permit_listing::permit_listing(std::shared_ptr<io::client_core> core, std::string_view pattern,
                               permit_visit_options options, listed<permit_info>::visitor each)
    : core_(std::move(core)), pattern_(pattern_with_prefix(core_->settings().name_prefix, pattern)), options_(options),
      scans_(scans_for(pattern_)), found_(core_->settings().name_prefix, std::move(each)) {}

std::vector<permit_listing::permit_scan> permit_listing::scans_for(std::string_view pattern) {
    std::string const suffix(timeouts_suffix);
    if (pattern == "*") return {{"*" + suffix}};
    std::string const given(pattern);
    return {{"{" + given + "}" + suffix, true, false}, {given + suffix, false, true}};
}

std::vector<key_scan> permit_listing::scans() const {
    if (options_.with_untaken) return {{pattern_, "string"}};
    std::vector<key_scan> all;
    for (auto const& one : scans_) all.push_back({one.pattern, "zset"});
    return all;
}

/// Those that the key may belong to.
std::vector<std::string> permit_listing::names_of(std::string_view key, permit_scan const& found_by) {
    std::vector<std::string> names;
    if (!key.ends_with(timeouts_suffix)) return names;
    auto const before = key.substr(0, key.size() - timeouts_suffix.size());
    if (found_by.bare && before.size() > 2) add_name(names, before.substr(1, before.size() - 2), key);
    if (found_by.tagged) add_name(names, before, key);
    return names;
}

void permit_listing::begin(std::size_t scan, std::vector<std::string> keys) {
    if (options_.with_untaken) return questions_.begin(std::move(keys));
    for (auto const& key : keys)
        for (auto& name : names_of(key, scans_[scan])) names_.push_back(std::move(name));
}

std::vector<std::string> permit_listing::ask() {
    auto commands = questions_.ask();
    asked_numbers_ = !commands.empty();
    if (asked_numbers_) return commands;
    for (auto& one : questions_.take()) { // each of them may be the number of one
        if (one.problem.empty())
            names_.push_back(std::move(one.name));
        else
            unreadable_.push_back({.name = std::move(one.name), .problem = std::move(one.problem)});
    }
    looked_at_ = std::exchange(names_, {});
    for (auto const& name : looked_at_)
        for (auto& one : ask_for_permits(name)) commands.push_back(std::move(one));
    if (commands.empty()) found_.add(std::exchange(unreadable_, {}));
    return commands;
}

void permit_listing::on_answers(io::node& server, std::vector<resp::value> const& answers) {
    if (asked_numbers_) return questions_.on_answers(server, answers);
    show(answers);
}

/// What is no permit semaphore after all is left out; what may not be looked at has its problem.
void permit_listing::show(std::vector<resp::value> const& answers) {
    auto found = std::exchange(unreadable_, {});
    for (std::size_t i = 0; i < looked_at_.size(); ++i) {
        auto const& name = looked_at_[i];
        auto const own = std::span(answers).subspan(i * questions_about_permits, questions_about_permits);
        try {
            auto info = to_permit_info(*core_, name, "looking at permit semaphore " + locking::shown(name), own);
            if (info.is_set && (options_.with_untaken || info.taken > 0)) found.push_back(std::move(info));
        } catch (error const& problem) {
            if (problem.reason() == errc::wrong_type || problem.reason() == errc::bad_reply) continue;
            found.push_back({.name = name, .problem = problem.what()});
        }
    }
    found_.add(std::move(found));
}

} // namespace redlatch::detail
