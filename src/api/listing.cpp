#include "api/listing.hpp"

#include "api/lock_view.hpp"
#include "api/name_prefix.hpp"
#include "api/scan_page.hpp"
#include "locking/names.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace redlatch::detail {
namespace {

constexpr char const* about = "listing locks";
// Looks of one round trip: enough that a distant server costs little, and not so much that it holds up what is behind.
constexpr std::size_t most_looks = 500;
constexpr std::size_t most_bytes = std::size_t{1} << 20;

} // namespace

listing::listing(std::shared_ptr<io::client_core> core, std::string const& pattern, look_options options, visitor each)
    : batch_series(std::move(core)), pattern_(pattern_with_prefix(this->core()->settings().name_prefix, pattern)),
      options_(options), servers_(this->core()->masters()), scans_(scans_for_locks(pattern_)),
      found_(this->core()->settings().name_prefix, std::move(each)) {}

/// False: it was the last one.
bool listing::go_on_with_next_server() {
    if (servers_.size() <= 1) return false;
    servers_.pop_back();
    for (auto& scan : scans_) scan.begin_again();
    labels_.reset(); // those that it knows
    return true;
}

bool listing::is_scanned() const noexcept {
    return std::all_of(scans_.begin(), scans_.end(), [](lock_scan const& scan) { return scan.done; });
}

bool listing::ask() {
    if (is_scanned() && unseen_.empty() && !go_on_with_next_server()) return false;
    std::vector<std::string> commands;
    std::size_t bytes = 0;
    looked_at_.clear();
    while (!unseen_.empty() && looked_at_.size() < most_looks && bytes < most_bytes) {
        looked_at_.push_back(std::move(unseen_.back()));
        unseen_.pop_back();
        append_look(commands, looked_at_.back());
        bytes += questions_of_a_look * looked_at_.back().size();
    }
    if (!looked_at_.empty()) commands.push_back(ask_for_time());
    asked_labels_ = options_.labels && !labels_ && !looked_at_.empty();
    if (asked_labels_)
        commands.push_back(ask_for_labels()); // behind the first looks: it knows those who hold what they see
    asked_pages_.clear();
    asked_size_ = unseen_.empty() && std::any_of(scans_.begin(), scans_.end(), [](lock_scan const& scan) {
                      return !scan.done && scan.cursor == "0";
                  });
    if (asked_size_) commands.push_back(resp::command("DBSIZE"));
    for (auto& scan : scans_) {
        if (scan.done || !unseen_.empty()) continue;
        asked_pages_.push_back(&scan);
        commands.push_back(
            resp::command("SCAN", scan.cursor, "MATCH", scan.pattern, "COUNT", "500", "TYPE", scan.type()));
    }
    send(*servers_.back(), std::move(commands), about);
    return true;
}

void listing::on_answers(std::vector<resp::value> const& answers) {
    auto next = looked_at_.empty() ? 0 : looked_at_.size() * questions_of_a_look + 1;
    if (asked_labels_) labels_ = labels_of(*servers_.back(), answers[next++]);
    on_looks(answers);
    if (asked_size_) on_size(answers[next++]);
    for (auto* const scan : asked_pages_) on_page(*scan, answers[next++]);
}

/// Without it a scan that does not end is noticed later.
void listing::on_size(resp::value const& keys) {
    servers_.back()->note_spare("dbsize", keys);
    if (!keys.is_integer()) return;
    for (auto& scan : scans_) scan.bounds.set_keys(keys.integer);
}

void listing::on_looks(std::vector<resp::value> const& answers) {
    if (looked_at_.empty()) return;
    std::vector<lock_info> locks;
    auto const& time = answers[looked_at_.size() * questions_of_a_look];
    for (std::size_t i = 0; i < looked_at_.size(); ++i) {
        auto const& name = looked_at_[i];
        try {
            auto const own = std::span(answers).subspan(i * questions_of_a_look, questions_of_a_look);
            if (auto info = to_info(*core(), name, own, time); looks_like_lock(info)) locks.push_back(std::move(info));
        } catch (error const& refusal) {
            // What a queue belongs to may be anything.
            if (refusal.reason() == errc::wrong_type && queued_.contains(name)) continue;
            lock_info info;
            info.name = name;
            info.problem = refusal.what();
            locks.push_back(std::move(info));
        }
    }
    if (labels_) add_labels(locks, *labels_);
    found_.add(std::move(locks));
}

/// What one SCAN has found the others may find, too.
bool listing::is_new(lock_scan const& scan, std::string_view name) {
    std::string const found(name);
    if (scan.what == lock_scan::kind::locks) return !queued_.contains(found);
    return !scans_.front().seen.contains(found) && queued_.insert(found).second;
}

void listing::on_page(lock_scan& scan, resp::value const& page) {
    must_be_page(*servers_.back(), about, page);
    std::size_t fresh = 0;
    for (auto const& item : page.items[1].items) {
        if (!scan.seen.insert(item.text).second) continue;
        ++fresh;
        auto const name = scan.name_in(item.text);
        if (!name.empty() && is_new(scan, name)) unseen_.emplace_back(name);
    }
    std::sort(unseen_.begin(), unseen_.end(), std::greater<>()); // taken from the end
    scan.cursor = page.items[0].text;
    scan.done = scan.cursor == "0";
    if (auto const why = scan.bounds.on_page(scan.cursor, page.items[1].items.size(), fresh))
        throw endless_scan(*servers_.back(), about, *why);
}

} // namespace redlatch::detail
