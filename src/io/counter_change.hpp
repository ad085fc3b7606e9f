// A change of a counter: sent once, or, where the server keeps a record of it, until it is answered.
//
// | event                                              | next                                                            |
// |----------------------------------------------------|-----------------------------------------------------------------|
// | answered                                           | finished                                                        |
// | not executed (LOADING, BUSY ...); never sent       | again, until the deadline                                       |
// | the connection breaks, and there is a record       | again, on the next one: the record makes a repeat harmless      |
// | the connection breaks, and there is none           | finished: outcome_unknown                                       |
// | any end without an answer, after the call was sent | finished: outcome_unknown; of a question: why there was none    |
#pragma once

#include "io/lock_call.hpp"
#include "io/query_op.hpp"
#include "locking/counter.hpp"

#include <memory>
#include <string>

namespace redlatch::io {

class counter_change final : public query_op {
public:
    struct request {
        locking::wire_call call;
        bool repeatable = false; ///< there is a record, or it is a question
        bool changes = true;
        std::string subject;   ///< "releasing 2 permits of semaphore 'x'"
        std::string_view kind; ///< of the counter
        base::instant deadline;
    };
    counter_change(std::shared_ptr<client_core> core, request order);
    ~counter_change() override;

    /// The server's answer, which is no error, where result() is zero.
    resp::value const& reply() const noexcept { return reply_; }
    std::string message() const;

private:
    bool call() override;
    bool answered() const override { return call_.finished(); }
    bool on_called() override;
    bool give_up();

    request const order_;
    lock_call call_;
    resp::value reply_;
};

/// Gives back what nobody wants any more, in the background: until it is answered, or the client is closed. `call`: a script.
void give_back_detached(std::shared_ptr<client_core> const& core, locking::counter const& what, locking::wire_call call,
                        bool repeatable);

} // namespace redlatch::io
