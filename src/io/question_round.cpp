#include "io/question_round.hpp"

#include "io/parker.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <utility>

namespace redlatch::io {
namespace {

/// The questions that are under way.
class round {
public:
    round(question_round const& questions, base::instant until, question_round::on_end tell)
        : what_(questions), until_(until), tell_(tell) {}

    /// False: it is over.
    bool go_on(int bell) {
        auto const now = lease_clock::now();
        if (over_) return false;
        if (next_ < what_.servers.size() && (open_.empty() || now >= next_at_)) {
            begin();
            return true;
        }
        if (open_.empty()) return false;
        if (now >= until_) {
            expire();
            return false;
        }
        return wait(bell);
    }

private:
    struct asked {
        std::size_t which;
        std::unique_ptr<brief_question> question;
    };

    void begin() {
        auto const which = next_++;
        auto const& server = what_.servers[which];
        std::string problem;
        auto const asked_at = lease_clock::now();
        auto addresses = what_.look_up(server.where, false, problem);
        if (until_ != base::never) until_ += lease_clock::now() - asked_at; // it is not at the cost of the others
        next_at_ = base::later(lease_clock::now(), what_.patience);
        if (addresses.empty()) {
            auto const* const whom = what_.words.to_sentinel ? "the Sentinel " : "the server ";
            ended(which, nullptr, whom + server.where.display() + " cannot be reached: " + problem, errc::disconnected);
            return;
        }
        auto question =
            std::make_unique<brief_question>(server, std::move(addresses), what_.words, what_.commands, what_.replies);
        question->give_until(until_);
        if (go_on(which, *question, question->advance())) open_.push_back({which, std::move(question)});
    }

    /// True: it waits.
    bool go_on(std::size_t index, brief_question& question, brief_question::progress reached) {
        switch (reached) {
        case brief_question::progress::waiting: return true;
        case brief_question::progress::ready: ended(index, &question, {}, errc{}); break;
        case brief_question::progress::failed: ended(index, &question, question.problem(), question.reason()); break;
        }
        return false;
    }

    void ended(std::size_t index, brief_question const* question, std::string const& problem, errc reason) {
        until_ = std::min(until_, tell_(index, question, problem, reason));
        over_ = until_ <= lease_clock::now();
    }

    void expire() {
        for (auto& one : open_) {
            if (over_) return;
            one.question->expire();
            tell_(one.which, one.question.get(), one.question->problem(), one.question->reason());
        }
    }

    bool wait(int bell) {
        std::vector<pollfd> all{{bell, POLLIN, 0}};
        for (auto const& one : open_) all.push_back({one.question->fd(), one.question->events(), 0});
        auto wake_at = next_ < what_.servers.size() ? std::min(until_, next_at_) : until_;
        for (auto const& one : open_) wake_at = std::min(wake_at, one.question->due_at());
        auto const left = std::max(time_left(wake_at), base::nanoseconds::zero());
        constexpr std::int64_t second = 1'000'000'000;
        timespec const limit{static_cast<std::time_t>(left.count() / second), static_cast<long>(left.count() % second)};
        bool const some_ready = ::ppoll(all.data(), all.size(), wake_at == base::never ? nullptr : &limit, nullptr) > 0;
        if (some_ready && all.front().revents != 0) return false;
        auto const now = lease_clock::now();
        std::vector<asked> waiting;
        for (std::size_t at = 0; at < open_.size() && !over_; ++at)
            if (waits_on(open_[at], some_ready && all[at + 1].revents != 0, now))
                waiting.push_back(std::move(open_[at]));
        open_ = std::move(waiting);
        return true;
    }

    bool waits_on(asked const& one, bool is_ready, base::instant now) {
        auto& question = *one.question;
        if (is_ready) return go_on(one.which, question, question.advance());
        // What ends with the whole round is told by expire().
        if (now >= until_ || now < question.due_at()) return true;
        return go_on(one.which, question, question.on_time_over());
    }

    question_round const& what_;
    base::instant until_;
    question_round::on_end tell_;
    std::size_t next_ = 0;
    base::instant next_at_{};
    std::vector<asked> open_{};
    bool over_ = false;
};

} // namespace

round_bell::round_bell() : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!bell_) throw std::system_error(errno, std::generic_category(), "no eventfd can be made");
}

void round_bell::ring() const noexcept {
    ::eventfd_write(bell_.get(), 1);
}

void question_round::ask(base::instant until, round_bell const& bell, on_end tell) const {
    round one(*this, until, tell);
    while (one.go_on(bell.fd())) {
    }
}

} // namespace redlatch::io
