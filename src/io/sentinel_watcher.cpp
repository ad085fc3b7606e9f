#include "io/sentinel_watcher.hpp"

#include "io/insist.hpp"
#include "io/log.hpp"
#include "io/sentinel_locator.hpp"
#include "io/watch_lane.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace redlatch::io {

/// Where the watch connects to: whichever Sentinel is to be asked first.
class sentinel_watcher::preferred final : public locator {
public:
    explicit preferred(std::weak_ptr<sentinel_locator> sentinels) : whose_(std::move(sentinels)) {}

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
    void doubt(endpoint const& endpoint) override {
        if (auto const all = whose_.lock()) all->on_failed_sentinel(endpoint);
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

/// Where the others are: each time another one.
class sentinel_watcher::others final : public locator {
public:
    others(std::weak_ptr<sentinel_locator> sentinels, std::shared_ptr<preferred> watched)
        : whose_(std::move(sentinels)), watched_(std::move(watched)) {}

    bool locate(place& out, base::instant, errc&, std::string& problem) override {
        auto const all = whose_.lock();
        auto const found = all ? all->another_than(watched_->present()) : std::nullopt;
        if (!found) {
            problem = all ? "there is no other Sentinel" : "the client was closed";
            return false;
        }
        out = *found;
        std::lock_guard const held(mutex_);
        present_ = out.where;
        return true;
    }
    void doubt(endpoint const&) override {}
    endpoint present() {
        std::lock_guard const held(mutex_);
        return present_;
    }

private:
    std::weak_ptr<sentinel_locator> const whose_;
    std::shared_ptr<preferred> const watched_;
    std::mutex mutex_; // guards what follows
    endpoint present_{};
};

sentinel_watcher::sentinel_watcher(std::shared_ptr<reactor> loop, config const& settings,
                                   std::weak_ptr<sentinel_locator> sentinels, master_locator::on_master tell)
    : loop_(std::move(loop)), settings_(settings), whose_(std::move(sentinels)), tell_(std::move(tell)) {}

void sentinel_watcher::begin() {
    auto const whose = whose_.lock();
    if (!whose) return;
    preferred_ = std::make_shared<preferred>(whose_);
    traffic_ = std::make_shared<connection::sentinel_watch>(whose->master_name(), shared_from_this());
    lane::hooks told;
    told.lost = [name = whose->master_name(), places = preferred_](std::string const& reason) {
        places->doubt(places->present());
        log(log_level::info, reason + " (the Sentinel that was to tell of failovers of '" + name + "')");
    };
    line_ = std::make_shared<lane>(loop_, lane_to(*whose, preferred_), traffic_, std::move(told));
    begin_asking(*whose);
    begin_watch(*loop_, line_, settings_.lazy_threads);
}

lane::settings sentinel_watcher::lane_to(sentinel_locator& sentinels, std::shared_ptr<locator> places) const {
    auto how =
        watch_lane_settings(settings_, sentinels.first_sentinel().where, sentinels.words(), nullptr, std::move(places));
    how.who = sentinels.who();
    return how;
}

/// It rests, but for the question.
void sentinel_watcher::begin_asking(sentinel_locator& sentinels) {
    using connection::sentinel_watch;
    others_ = std::make_shared<others>(whose_, preferred_);
    other_traffic_ =
        std::make_shared<sentinel_watch>(sentinels.master_name(), shared_from_this(), sentinel_watch::use::ask);
    lane::hooks told;
    told.failed = [weak = weak_from_this()] { // the next time it is another one
        if (auto const alive = weak.lock()) alive->other_line_->rest(true);
    };
    other_line_ = std::make_shared<lane>(loop_, lane_to(sentinels, others_), other_traffic_, std::move(told));
    other_line_->rest(true);
}

void sentinel_watcher::close() {
    closed_ = true;
    line_->close();
    other_line_->close();
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
    if (news) on_answer(*news);
    std::optional<connection::sentinel_answer> beside;
    other_line_->with([&] { beside = other_traffic_->take_news(); });
    if (beside) on_other_answer(*beside);
}

void sentinel_watcher::on_answer(connection::sentinel_answer const& said) {
    auto const whose = whose_.lock();
    if (!whose || closed_) return;
    auto const from = preferred_->present();
    if (whose->knows_several()) ask_another();
    if (said.what != connection::sentinel_answer::kind::known) {
        // Not at once: where no Sentinel knows it, they would be asked without a pause.
        if (std::exchange(knew_nothing_, !knew_nothing_))
            line_->reconnect("knows no master '" + whose->master_name() + "'");
        return;
    }
    knew_nothing_ = false;
    follow(said, from);
}

void sentinel_watcher::follow(connection::sentinel_answer const& said, endpoint const& from) {
    auto const whose = whose_.lock();
    if (!whose) return;
    auto const now = whose->on_news(from, said);
    if (now.moved)
        log(log_level::info, "the master '" + whose->master_name() + "' is " + now.master.display() + " now");
    // Also where it is no news: one connection may have found out what the others do not know.
    tell_(now.master, "is not the master '" + whose->master_name() + "' any more, which is " + now.master.display(),
          now.moved);
}

/// Each time that the one which is listened to has answered: it may have been cut off together with an old master, and goes on
/// to name that one.
void sentinel_watcher::ask_another() {
    other_line_->rest(false);
    other_line_->submit([] {}, false);
}

void sentinel_watcher::on_other_answer(connection::sentinel_answer const& said) {
    auto const from = others_->present();
    other_line_->rest(true);
    auto const whose = whose_.lock();
    bool const known = said.what == connection::sentinel_answer::kind::known;
    if (!known || !whose || closed_ || !whose->is_newer(said)) return;
    follow(said, from);
    line_->reconnect("has not heard of the last failover of '" + whose->master_name() + "'");
}

} // namespace redlatch::io
