#include "api/key_visit.hpp"

#include "api/both_forms.hpp"
#include "connection/server_error.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

#include <utility>

namespace redlatch::detail {
namespace {

void must_be_page(io::node& server, char const* subject, resp::value const& reply) {
    if (reply.is_error()) {
        auto const reason = connection::to_errc(connection::judge(reply));
        throw error(reason, io::query_message(server, subject, reason, reply));
    }
    if (!reply.is_array() || reply.items.size() != 2 || !reply.items[0].is_text() || !reply.items[1].is_array())
        throw error(errc::bad_reply, "the server sent an unexpected reply to SCAN");
}

} // namespace

key_visit::key_visit(std::shared_ptr<io::client_core> core, std::shared_ptr<key_look> look)
    : core_(std::move(core)), look_(std::move(look)), scans_(look_->scans()), servers_(core_->masters()) {}

bool key_visit::step() {
    for (;;) {
        if (!call_ && !ask()) return true;
        if (cancelled()) call_->cancel();
        if (!call_->step()) return suspend(call_->at().where, call_->at().until);
        on_answers();
        if (result_) return true;
    }
}

bool key_visit::ready() const {
    return cancelled() || (call_ && call_->ready());
}

/// False: it has ended.
bool key_visit::ask() {
    auto commands = look_->ask();
    asked_page_ = commands.empty();
    if (asked_page_) return ask_for_page();
    call_.emplace(core_, servers_.back(), std::move(commands), look_->subject());
    drive(*call_);
    return true;
}

bool key_visit::ask_for_page() {
    if (endless_) {
        fail(errc::bad_reply, std::string(look_->subject()) + " was given up: SCAN on the server "
                                  + servers_.back()->address() + " does not come to an end (" + *endless_
                                  + "); ask with a narrower pattern, or find out what answers there");
        return false;
    }
    if (!cursor_ && !begin_next()) return false;
    std::vector<std::string> commands;
    asked_size_ = *cursor_ == "0";
    if (asked_size_) commands.push_back(resp::command("DBSIZE"));
    auto const& what = scans_[scan_];
    commands.push_back(resp::command("SCAN", *cursor_, "MATCH", what.pattern, "COUNT", "500", "TYPE", what.type));
    call_.emplace(core_, servers_.back(), std::move(commands), look_->subject());
    drive(*call_);
    return true;
}

/// The next server, and after the last one the next scan. False: there is none.
bool key_visit::begin_next() {
    if (servers_.size() > 1) {
        servers_.pop_back();
    } else {
        if (scan_ + 1 == scans_.size()) return false;
        ++scan_;
        servers_ = core_->masters();
        seen_.clear();
    }
    cursor_ = "0";
    bounds_ = {};
    return true;
}

void key_visit::on_answers() {
    try {
        must_have_succeeded(*call_);
        if (asked_page_)
            on_page(call_->replies());
        else
            look_->on_answers(*servers_.back(), call_->replies());
    } catch (error const& problem) {
        fail(problem.code(), problem.what());
    }
    call_.reset();
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
    if (!fresh.empty()) look_->begin(server, scan_, std::move(fresh));
}

void key_visit::fail(std::error_code result, std::string message) {
    result_ = result;
    message_ = std::move(message);
}

} // namespace redlatch::detail
