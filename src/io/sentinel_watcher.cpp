#include "io/sentinel_watcher.hpp"

#include "io/insist.hpp"
#include "io/log.hpp"
#include "io/sentinel_locator.hpp"
#include "io/watch_lane.hpp"

#include <mutex>
#include <utility>

namespace redlatch::io {

/// Where the watch connects to: whichever Sentinel is to be asked first.
class sentinel_watcher::turns final : public locator {
public:
    explicit turns(std::weak_ptr<sentinel_locator> whose) : whose_(std::move(whose)) {}

    bool locate(place& out, base::instant, errc&, std::string& problem) override {
        auto const all = whose_.lock();
        if (!all) {
            problem = "the client was closed";
            return false;
        }
        out = all->first_sentinel();
        std::lock_guard const held(mutex_);
        present_ = out.where;
        return true;
    }
    void doubt(endpoint const& where) override {
        if (auto const all = whose_.lock()) all->on_failed_sentinel(where);
    }
    endpoint present() {
        std::lock_guard const held(mutex_);
        return present_;
    }

private:
    std::weak_ptr<sentinel_locator> const whose_;
    std::mutex mutex_; // guards what follows
    endpoint present_{};
};

sentinel_watcher::sentinel_watcher(std::shared_ptr<reactor> loop, config const& settings,
                                   std::weak_ptr<sentinel_locator> whose, master_locator::on_master tell)
    : loop_(std::move(loop)), settings_(settings), whose_(std::move(whose)), tell_(std::move(tell)) {}

void sentinel_watcher::begin() {
    auto const whose = whose_.lock();
    if (!whose) return;
    turns_ = std::make_shared<turns>(whose_);
    traffic_ = std::make_shared<connection::sentinel_watch>(whose->master_name(), shared_from_this());
    lane::hooks told;
    told.lost = [name = whose->master_name(), places = turns_](std::string const& reason) {
        places->doubt(places->present());
        log(log_level::info, reason + " (the Sentinel that was to tell of failovers of '" + name + "')");
    };
    auto const where = whose->first_sentinel().where;
    line_ = std::make_shared<lane>(loop_, watch_lane_settings(settings_, where, whose->words(), nullptr, turns_),
                                   traffic_, std::move(told));
    begin_watch(*loop_, line_, settings_.lazy_threads);
}

void sentinel_watcher::close() {
    closed_ = true;
    line_->close();
}

void sentinel_watcher::close_after_fork() noexcept {
    line_->close_after_fork();
}

void sentinel_watcher::wake() noexcept {
    insist([this] {
        loop_->post([weak = weak_from_this()] {
            if (auto const alive = weak.lock()) alive->look();
        });
    });
}

void sentinel_watcher::look() {
    std::optional<connection::sentinel_answer> news;
    line_->with([&] { news = traffic_->take_news(); });
    auto const whose = whose_.lock();
    if (!news || !whose || closed_) return;
    auto const from = turns_->present();
    if (news->what != connection::sentinel_answer::kind::known) {
        // Not at once: where no Sentinel knows it, they would be asked without a pause.
        if (std::exchange(knew_nothing_, !knew_nothing_))
            line_->reconnect("knows no master '" + whose->master_name() + "'");
        return;
    }
    knew_nothing_ = false;
    auto const now = whose->on_news(from, *news);
    if (now.moved)
        log(log_level::info, "the master '" + whose->master_name() + "' is " + now.master.display() + " now");
    // Also where it is no news: one connection may have found out what the others do not know.
    tell_(now.master, "is not the master '" + whose->master_name() + "' any more, which is " + now.master.display(),
          now.moved);
}

} // namespace redlatch::io
