// A change of a counter, which goes on until it is answered, or it is not known what became of it.
//
// | event                                              | next                                                           |
// |----------------------------------------------------|----------------------------------------------------------------|
// | answered                                           | finished                                                       |
// | not executed (LOADING, BUSY ...); never sent       | again, until the deadline                                      |
// | not executed for want of memory                    | at once with a record; where this user may not keep one: again |
// |                                                    | without, until the deadline                                    |
// | the connection breaks, and there is a record       | again, on the next one                                         |
// | the connection breaks, and there is none           | finished: outcome_unknown                                      |
// | any end without an answer, after it was sent       | finished: outcome_unknown                                      |
// | cancelled                                          | nothing: it goes on                                            |
// | the client closes                                  | what was sent waits for its answer, for as long as close() does |
#pragma once

#include "io/client_core.hpp"
#include "io/lock_call.hpp"
#include "io/operation.hpp"
#include "io/write_gate.hpp"
#include "locking/counter.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace redlatch::io {

class counter_change final : public operation {
public:
    struct request {
        locking::wire_call call;
        bool repeatable = false; ///< there is a record, or a repeat changes nothing more
        std::string subject{};   ///< "releasing 2 permits of semaphore 'x'"
        std::string_view kind;   ///< of the counter
        base::instant deadline;
        locking::counter_ptr counter{};
        std::int64_t amount = 1; ///< by which it changes the number
        /// Says the subject where a message needs it. Null: `subject` does.
        std::string (*in_words)(locking::counter const&, std::int64_t amount) = nullptr;
        bool releases = false; ///< it gives something back: heard_by() says of the reply how many heard of it
        bool adds = false;     ///< as many waiters of this process ask right behind it
        /// What is published where `tells` says so of the reply. Null: nothing.
        std::string message{};
        bool (*tells)(resp::value const& reply) = nullptr;
        bool with_others = false; ///< while the server is away or refuses, those that do so end together
        /// Composes the call anew, with a record: a server whose memory is full executes it then, and refuses it without. Null:
        /// a record makes no difference.
        locking::wire_call (*when_full)(locking::counter_request const&) = nullptr;
    };
    counter_change(std::shared_ptr<client_core> core, request order);
    ~counter_change() override;

    bool step() override;
    bool ready() const override;

    /// Zero: the server has answered, and reply() is no error.
    std::error_code result() const noexcept { return result_; }
    resp::value const& reply() const noexcept { return reply_; }
    /// An earlier copy may have done what was asked.
    bool repeated() const noexcept { return repeated_; }
    std::string message() const;

private:
    enum class stage { beginning, calling, pausing, finished };
    std::string subject() const;
    bool call();
    bool on_called();
    bool on_paused();
    bool pause(base::instant now, base::instant until);
    bool repeats_with_record();
    void wait_with_others(base::instant now);
    bool finish(std::error_code code);
    std::error_code without_an_answer() const;
    void expect_waiters();
    void tell_waiters();
    void check_message();
    bool is_left_to_others(base::instant now) const;
    void leave_to_others(base::instant now);
    void tell_where_the_slot_comes_from(connection::call const& answered);
    void stop_counting();

    std::shared_ptr<client_core> core_;
    request const order_;
    node* node_;
    base::instant deadline_;
    stage stage_ = stage::beginning;
    bool counted_ = false;        ///< close() waits for it
    bool may_be_done_ = false;    ///< a copy of the call may have been executed
    bool repeated_ = false;       ///< the same, when its answer came
    bool waited_for_ = false;     ///< waiters of this process are told
    bool own_message_ = false;    ///< its message is to be no news for them
    bool left_to_others_ = false; ///< they hear of it as waiters of other processes do
    bool hears_itself_ = false;
    bool at_once_ = true;                             ///< it was sent once, before what the waiters sent
    write_gate::waiter refused_{};                    ///< while the server executes no writes
    std::optional<locking::wire_call> with_record_{}; ///< in place of the call that was ordered
    std::optional<resp::value> without_record_{};     ///< the server's refusal of that one, for want of memory
    lock_call call_;
    resp::value reply_;
    std::error_code result_;
};

} // namespace redlatch::io
