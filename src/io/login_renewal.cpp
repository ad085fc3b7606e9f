#include "io/login_renewal.hpp"

#include "io/detached_thread.hpp"
#include "io/insist.hpp"
#include "io/log.hpp"

#include <system_error>
#include <utility>

namespace redlatch::io {

void login_renewal::ask_at(base::instant due_time) {
    reactor::timer timer = 0;
    if (due_time != base::never)
        timer = loop_->at(due_time, [self = weak_from_this()] {
            if (auto const alive = self.lock()) alive->ask();
        });
    { // the reactor has a mutex of its own, which is not taken under this one
        std::lock_guard const held(mutex_);
        std::swap(timer_, timer);
    }
    if (timer != 0) loop_->cancel(timer);
}

/// On the reactor.
void login_renewal::ask() {
    try {
        begin_detached([self = weak_from_this(), who = login_, loop = loop_] {
            std::string problem;
            bool const is_one = who->ask(problem);
            insist([&] {
                loop->post([self, is_one, problem] {
                    if (auto const alive = self.lock()) alive->on_answer(is_one, problem);
                });
            });
        });
    } catch (std::system_error const& no_thread) {
        failed(std::string("no thread can be started to ask for them (") + no_thread.what() + ")");
    }
}

void login_renewal::on_answer(bool is_one, std::string const& problem) {
    if (!is_one) return failed(problem);
    ask_at(login_->next_time());
    use_(*this, login_->last());
}

void login_renewal::failed(std::string const& problem) {
    log(log_level::warning, "new credentials for a connection that lives on cannot be had: " + problem);
    ask_at(base::later(lease_clock::now(), login::pause));
}

} // namespace redlatch::io
