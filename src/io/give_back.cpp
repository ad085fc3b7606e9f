#include "io/give_back.hpp"

#include "connection/server_error.hpp"
#include "io/insist.hpp"
#include "locking/names.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace redlatch::io {
namespace {

class giving_back : public std::enable_shared_from_this<giving_back> {
public:
    giving_back(std::shared_ptr<client_core> const& core, locking::counter const& counter, locking::wire_call call,
                bool repeatable)
        : core_(core), name_(counter.name), call_(std::move(call)), repeatable_(repeatable),
          subject_("giving back permits of " + std::string(counter.how->kind) + " " + locking::shown(counter.name)
                   + " that nobody waits for any more") {
        core->give_back_began();
    }
    giving_back(giving_back const&) = delete;
    giving_back& operator=(giving_back const&) = delete;
    ~giving_back() {
        if (auto const core = core_.lock()) core->give_back_ended();
    }

    void send() {
        auto const core = core_.lock();
        if (!core) return;
        core->send(core->node_of(name_).data(), call_,
                   [self = shared_from_this()](connection::call const& ended) { self->on_ended(ended); },
                   {.once = !repeatable_, .undoes = true});
    }

private:
    void on_ended(connection::call const& ended) {
        auto const core = core_.lock();
        if (!core) return;
        if (ended.status == connection::call::state::closed) {
            if (core->closed()) return;
            if (ended.handed == 0) return send_again(); // it had waited for a connection, and there is one
            return fail(*core, "the connection broke before the server had answered");
        }
        if (ended.reply.is_integer() && ended.reply.integer > 0) core->node_of(name_).on_written(ended.sent_at, false);
        if (!ended.reply.is_error()) return;
        auto const verdict = connection::judge(ended.reply);
        bool const not_executed =
            verdict == connection::verdict::read_only || verdict == connection::verdict::not_executed;
        if (!not_executed) return fail(*core, ended.reply.text);
        if (core->closed()) return;
        auto const now = lease_clock::now();
        constexpr base::milliseconds shortest_pause{100};
        pause(*core, std::max(core->node_of(name_).on_write_refused(ended, now), base::later(now, shortest_pause)));
    }
    void pause(client_core& core, base::instant until) {
        insist([&] { core.loop()->at(until, [self = shared_from_this()] { self->on_paused(); }); });
    }
    /// A server that refuses is asked by one for all.
    void on_paused() {
        auto const core = core_.lock();
        if (!core || core->closed()) return;
        auto const now = lease_clock::now();
        auto const write_at = core->node_of(name_).next_write(now);
        if (write_at > now) return pause(*core, write_at);
        send_again();
    }
    void send_again() {
        insist([this] { send(); });
    }
    void fail(client_core& core, std::string const& reason) {
        insist([&] {
            core.tell({.what = event::kind::release_failed,
                       .message = subject_ + " failed, and they may stay taken: " + reason});
        });
    }

    std::weak_ptr<client_core> const core_; ///< what waits on its loop is not to keep it
    std::string const name_;
    locking::wire_call const call_;
    bool const repeatable_;
    std::string const subject_;
};

} // namespace

void give_back(std::shared_ptr<client_core> const& core, locking::counter const& counter, locking::wire_call call,
               bool repeatable) {
    // Its thread reads the answer, and may not have been needed before. First: what throws behind the send would have it sent
    // again.
    core->loop()->post([] {});
    std::make_shared<giving_back>(core, counter, std::move(call), repeatable)->send();
}

} // namespace redlatch::io
