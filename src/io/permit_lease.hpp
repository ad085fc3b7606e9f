// Keeps the lease of permits that were taken together, and notices its end.
//
// | event                                             | next                                                  |
// |---------------------------------------------------|-------------------------------------------------------|
// | renewed: a third of the lease since the last one  | asks for the lease anew, where less is left           |
// | the server was away, or another one answers       | asks whether they are there; renewed: as above        |
// | renewed, answer: all are there                    | validity from before the request was sent             |
// | answer: one is not there                          | lost                                                  |
// | an error, no answer that is understood            | again after a tenth of the lease, at most a second    |
// | validity, or the longest hold, is over            | lost                                                  |
// | given back, handed over, the client is closed     | nothing more                                          |
#pragma once

#include "base/time.hpp"
#include "io/client_core.hpp"
#include "locking/counter.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

namespace redlatch::io {

/// Thread-safe. What decides runs on the reactor.
class permit_lease final : public std::enable_shared_from_this<permit_lease> {
public:
    struct terms {
        locking::counter_ptr what;
        std::string ids;            ///< as in counter_request
        base::milliseconds lease{}; ///< zero: for ever
        bool renewed = false;
        base::instant taken_at{};           ///< when the request was sent
        base::instant latest = base::never; ///< held no longer
    };
    permit_lease(std::shared_ptr<client_core> const& core, terms options);
    permit_lease(permit_lease const&) = delete;
    permit_lease& operator=(permit_lease const&) = delete;
    ~permit_lease();

    std::string const& ids() const noexcept { return terms_.ids; }
    base::instant valid_until() const noexcept { return valid_until_.load(std::memory_order_acquire); }
    bool is_lost(base::instant now) const noexcept {
        return lost_.load(std::memory_order_acquire) || now >= valid_until();
    }
    /// Somebody has them now. Throws std::bad_alloc.
    void begin();
    /// From now on its end is noticed. Where it is renewed, and for lost_token().
    void watch();
    /// Asks the server whether they are there: it may have forgotten them. On the reactor.
    void verify();
    /// Somebody else's, or nobody's, from now on. True: it was not so before.
    bool end() noexcept;
    bool is_renewed() const noexcept { return terms_.renewed; }
    bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }
    std::stop_token lost_token() const { return lost_source_.get_token(); }

private:
    friend class permit_leases;

    void on_reactor(void (permit_lease::*step)());
    void look();
    void ask(client_core& core, base::instant now);
    void on_answer(connection::call const& answered);
    void lose(client_core& core);
    void arm(client_core& core, base::instant due_time);
    void disarm() noexcept;
    base::instant validity(base::instant sent_at) const;
    bool can_be_prolonged() const noexcept { return terms_.renewed && valid_until() < terms_.latest; }
    base::instant next_renewal(base::instant last) const;

    std::weak_ptr<client_core> const core_; ///< what waits on its loop is not to keep it
    terms const terms_;
    base::milliseconds const margin_;
    std::atomic<base::instant> valid_until_;
    std::atomic<bool> watched_{false};
    std::atomic<bool> ended_{false};
    std::atomic<bool> lost_{false};
    std::stop_source lost_source_;
    std::atomic<reactor::timer> timer_{0}; ///< set by the reactor

    std::size_t position_ = 0; ///< among those of the client; theirs

    // The reactor's.
    base::instant ask_at_;
    base::instant armed_for_ = base::never;
    bool asking_ = false;
    bool prolongs_ = false; ///< what is asked
    bool doubted_ = false;  ///< what is asked may have been answered before
};

} // namespace redlatch::io
