#include "api/listing.hpp"

#include "api/both_forms.hpp"
#include "api/lock_view.hpp"
#include "locking/names.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

#include <utility>

namespace redlatch::detail {

listing::listing(std::shared_ptr<io::client_core> core, std::string pattern)
    : core_(std::move(core)), pattern_(std::move(pattern)) {}

bool listing::step() {
    for (;;) {
        if (!call_ && !ask()) return true;
        if (cancelled()) call_->cancel();
        if (!call_->step()) return suspend(call_->at().where, call_->at().until);
        on_answer();
        if (result_) return true;
    }
}

bool listing::ready() const {
    return cancelled() || (call_ && call_->ready());
}

bool listing::ask() {
    if (!scanned_) {
        call_.emplace(core_, resp::command("SCAN", cursor_, "MATCH", pattern_, "COUNT", "500", "TYPE", "hash"),
                      "listing locks");
    } else if (!names_.empty()) {
        auto const& name = *names_.begin();
        call_.emplace(core_, inspect_call(name), "looking at lock " + locking::shown(name));
    } else {
        return false;
    }
    drive(*call_);
    return true;
}

void listing::on_answer() {
    try {
        scanned_ ? on_look(*call_) : on_page(*call_);
    } catch (error const& problem) {
        result_ = problem.code();
        sentence_ = problem.what();
    }
    call_.reset();
}

void listing::on_page(io::query const& asked) {
    must_have_succeeded(asked);
    auto const& page = asked.reply();
    if (!page.is_array() || page.items.size() != 2 || !page.items[1].is_array())
        throw error(errc::bad_reply, "the server's answer to SCAN is none");
    cursor_ = page.items[0].text;
    for (auto const& item : page.items[1].items) names_.insert(item.text);
    scanned_ = cursor_ == "0";
}

void listing::on_look(io::query const& asked) {
    auto const name = std::move(names_.extract(names_.begin()).value());
    if (asked.result() == errc::wrong_type) return; // no longer a lock's, or never was: no error of the list
    must_have_succeeded(asked);
    if (auto info = to_info(name, asked.reply()); looks_like_lock(info)) found_.push_back(std::move(info));
}

} // namespace redlatch::detail
