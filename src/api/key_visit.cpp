#include "api/key_visit.hpp"

#include "api/scan_page.hpp"
#include "resp/command.hpp"

#include <utility>

namespace redlatch::detail {

key_visit::key_visit(std::shared_ptr<io::client_core> core, std::shared_ptr<key_look> look)
    : batch_series(std::move(core)), look_(std::move(look)), scans_(look_->scans()), servers_(this->core()->masters()) {
}

bool key_visit::ask() {
    auto commands = look_->ask();
    asked_page_ = commands.empty();
    if (asked_page_) return ask_for_page();
    send(*servers_.back(), std::move(commands), look_->subject());
    return true;
}

bool key_visit::ask_for_page() {
    if (endless_) {
        fail(endless_scan(*servers_.back(), look_->subject(), *endless_));
        return false;
    }
    if (!cursor_ && !begin_next()) return false;
    std::vector<std::string> commands;
    asked_size_ = *cursor_ == "0";
    if (asked_size_) commands.push_back(resp::command("DBSIZE"));
    auto const& what = scans_[scan_];
    commands.push_back(resp::command("SCAN", *cursor_, "MATCH", what.pattern, "COUNT", "500", "TYPE", what.type));
    send(*servers_.back(), std::move(commands), look_->subject());
    return true;
}

/// The next server, and after the last one the next scan. False: there is none.
bool key_visit::begin_next() {
    if (servers_.size() > 1) {
        servers_.pop_back();
    } else {
        if (scan_ + 1 == scans_.size()) return false;
        ++scan_;
        servers_ = core()->masters();
        seen_.clear();
    }
    cursor_ = "0";
    bounds_ = {};
    return true;
}

void key_visit::on_answers(std::vector<resp::value> const& answers) {
    if (asked_page_)
        on_page(answers);
    else
        look_->on_answers(*servers_.back(), answers);
}

/// Without the number of keys a scan that does not end is noticed later.
void key_visit::on_page(std::vector<resp::value> const& answers) {
    auto& server = *servers_.back();
    if (asked_size_) {
        server.note_spare("dbsize", answers.front());
        if (answers.front().is_integer()) bounds_.set_keys(answers.front().integer);
    }
    auto const& page = answers.back();
    must_be_page(server, look_->subject(), page);
    std::vector<std::string> fresh;
    for (auto const& key : page.items[1].items)
        if (seen_.insert(key.text).second) fresh.push_back(key.text);
    auto const& next = page.items[0].text;
    endless_ = bounds_.on_page(next, page.items[1].items.size(), fresh.size());
    cursor_ = next == "0" ? std::nullopt : std::optional(next);
    if (!fresh.empty()) look_->begin(scan_, std::move(fresh));
}

} // namespace redlatch::detail
