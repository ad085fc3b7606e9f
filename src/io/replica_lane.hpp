// A connection on which a server is asked how many of its replicas have what was written.
//
// WAIT counts the replicas that have all writes of its connection, and nothing else is answered on that connection until then.
// So it has one of its own, on which what was acquired is written once more, as it is: a hold count that is the same. What
// replicas have of that write they have of the acquisition before it. In groups, on the reactor:
//
// | state   | event                                    | action, next                                                         |
// |---------|------------------------------------------|----------------------------------------------------------------------|
// | idle    | a question                               | marking                                                              |
// | marking |                                          | one write: the marks of all questions that have come, and WAIT; in   |
// |         |                                          | its place ROLE where all that are connected are waited for           |
// | marking | marks are answered: NOSCRIPT, not        | the question is asked anew: with the script's text, after a pause,   |
// |         | executed, MOVED and ASK                  | of another node                                                      |
// | marking | a mark is answered: not held, an error   | the question has ended                                               |
// | marking | ROLE: none is connected, or as many as   | the questions have ended                                             |
// |         | have confirmed                           |                                                                      |
// | marking | ROLE                                     | WAIT -> waiting; where fewer are connected than before, what was     |
// |         |                                          | confirmed counts for nothing: it may be the others that had it       |
// | waiting | WAIT: enough, or a question's time is up | these questions have ended; without any: idle or marking             |
// | waiting | WAIT: fewer                              | behind the marks of those that have come meanwhile, which join the   |
// |         |                                          | group: WAIT again, or ROLE -> waiting                                |
// | any     | the connection is lost, or another one   | the questions are asked anew: what was written on the former one     |
// |         | has answered                             | counts for nothing                                                   |
// Where the mark of one that has joined is confirmed, those of the others are as well. A WAIT is short, so that each question
// is asked in its time, and for no longer than the one that has the least time can wait.
#pragma once

#include "base/waker.hpp"
#include "connection/call.hpp"
#include "connection/redirect.hpp"
#include "io/call_lane.hpp"
#include "io/reactor.hpp"
#include "io/replica_question.hpp"
#include "locking/wire_call.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace redlatch::io {

/// Thread-safe.
class replica_lane final : public base::wakeable, public std::enable_shared_from_this<replica_lane> {
public:
    /// In a cluster: asks the node that a redirect names. Null: a single server.
    using other_node = std::function<void(connection::redirect const&, replica_question_ptr const&)>;

    /// `replicas`: what all its questions wait for, see replica_demand.
    replica_lane(std::shared_ptr<reactor> loop, lane::settings const& settings, lane::hooks to_tell, int replicas,
                 other_node elsewhere);

    void ask(replica_question_ptr const& question);
    /// What is asked from now on, and now, has ended.
    void close();
    call_lane& calls() noexcept { return calls_; }

    void wake() noexcept override;

private:
    using questions = std::deque<replica_question_ptr>;
    enum class then { now, soon };

    bool post(void (replica_lane::*step)());
    void begin_group();
    void look();
    bool take_group();
    void ask_once_more(base::instant now);
    std::vector<connection::call_ptr> marks();
    bool by_text(replica_question const& question, locking::wire_call const& call);
    void ask_server(std::vector<connection::call_ptr> calls, base::instant now);
    connection::call_ptr question_to_server(base::instant now);
    void read_marks();
    bool read_mark(connection::call const& answered, replica_question_ptr const& question);
    void read_answer(connection::call const& answered, base::instant now);
    void on_error(connection::call const& answered);
    void on_role(connection::call const& answered);
    void on_count(int confirmed);
    static void end_those_that_are_done(questions& all, base::instant now);
    void end_all(replica_question::end result);
    void again(replica_question_ptr const& question, then timing);
    void all_again(then timing);
    void go_on();

    std::shared_ptr<reactor> const loop_;
    int const replicas_;
    other_node const elsewhere_;
    call_lane calls_;

    std::mutex mutex_; // guards what follows
    questions pending_;
    bool busy_ = false; ///< somebody sees to it that what is pending is asked
    bool closed_ = false;

    // The reactor's own.
    questions group_;
    questions fresh_;                         ///< those that join the group when their marks are read
    std::vector<connection::call_ptr> marks_; ///< of fresh_
    connection::call_ptr last_;               ///< WAIT or ROLE, under way
    bool asks_role_ = false;
    std::vector<locking::script const*> known_; ///< to the server, as far as we know
    std::uint64_t connection_ = 0;              ///< on which the marks were written
    int connected_ = 0;
    int confirmed_ = 0;
    questions again_;
    bool after_a_pause_ = false;
};

} // namespace redlatch::io
