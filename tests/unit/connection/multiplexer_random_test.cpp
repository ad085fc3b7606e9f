// Random dialogues against a model of the server that knows fact 6 of the architecture: bytes of a broken connection may still
// run, at any time, until that connection was killed or the server restarted. Every seed is a dialogue of its own.
#include "base/random.hpp"
#include "connection/scripted_lane.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace redlatch::connection {
namespace {

using scripted::error;
using scripted::integer;

class model {
public:
    explicit model(std::uint64_t seed) : random_(seed) {}

    void run(int steps) {
        for (int i = 0; i < steps; ++i) step();
        settle();
    }

private:
    struct former_connection {
        std::set<std::string> may_run; ///< what was sent, wholly or not, and not answered
    };

    bool chance(int percent) { return random_.up_to(99) < percent; }

    void step() {
        switch (random_.up_to(9)) {
        case 0:
        case 1:
        case 2: submit(); break;
        case 3:
        case 4: send(); break;
        case 5:
        case 6:
        case 7: answer(); break;
        case 8: abandon(); break;
        default: connected_ ? lose() : connect(); break;
        }
    }

    void submit() {
        auto const word = "W" + std::to_string(++last_word_);
        calls_[word] = lane_.submit(word);
    }

    void connect() {
        if (chance(10)) { // the server restarted: nothing of its former connections runs any more
            ++run_;
            former_.clear();
        }
        lane_.up(who(++number_, "run" + std::to_string(run_)));
        arrived_ = resp::reader();
        unsent_ = 0;
        connected_ = true;
    }

    void lose() {
        former_connection left;
        // Of a command that was cut in two the second half never comes, but the client cannot know where it was cut.
        for (auto const& [word, one] : calls_)
            if (one->status.load() == call::state::staged && one->begin < lane_.traffic.out.handed()) {
                left.may_run.insert(word);
                sent_before_[word].insert(number_);
            }
        if (!left.may_run.empty()) former_[number_] = left;
        lane_.down();
        connected_ = false;
    }

    void send() {
        if (!connected_) return;
        if (unsent_ > 0) return; // simple: what was kept back once stays back until the connection breaks
        std::string bytes;
        lane_.traffic.out.take(bytes);
        if (chance(20) && !bytes.empty()) unsent_ = static_cast<std::size_t>(random_.up_to(std::ssize(bytes)));
        lane_.traffic.out.not_taken(unsent_);
        arrived_.feed(std::string_view(bytes).substr(0, bytes.size() - unsent_));
    }

    /// The server runs the next command that arrived whole.
    void answer() {
        if (!connected_) return;
        resp::value command;
        if (arrived_.next(command) != resp::reader::result::value) return;
        std::vector<std::string> words;
        for (auto const& word : command.items) words.push_back(word.text);
        if (words.front() == "CLIENT") {
            if (chance(15)) {
                ASSERT_TRUE(lane_.reply(error("NOPERM no")));
                return;
            }
            int killed = 0;
            std::from_chars(words[3].data(), words[3].data() + words[3].size(), killed);
            ASSERT_NE(killed, number_) << "it killed itself";
            former_.erase(killed);
            ASSERT_TRUE(lane_.reply(integer(1)));
            return;
        }
        auto const one = calls_.at(words.front());
        ASSERT_FALSE(one->finished()) << words.front() << " was answered before";
        bool const given_up = one->abandoned;
        ASSERT_TRUE(lane_.reply(scripted::status(words.front())));
        if (!given_up) look_at(words.front(), *one);
        calls_.erase(words.front());
    }

    void look_at(std::string const& word, call const& one) {
        ASSERT_EQ(one.status.load(), call::state::answered);
        ASSERT_EQ(one.reply.text, word) << "got the reply to another call";
        ASSERT_EQ(one.repeated(), sent_before_.contains(word)) << word;
        if (one.late_copy_possible) return;
        for (auto const& [number, left] : former_)
            ASSERT_FALSE(left.may_run.contains(word))
                << word << " is said to have no late copy, but connection " << number << " may still run it";
    }

    void abandon() {
        if (calls_.empty()) return;
        auto const at = std::next(calls_.begin(), random_.up_to(std::ssize(calls_) - 1));
        if (at->second->abandoned) return;
        bool const may_run = lane_.traffic.abandon(at->second);
        ASSERT_TRUE(may_run || !sent_before_.contains(at->first)) << at->first << " was sent on a former connection";
        if (at->second->status.load() == call::state::waiting) calls_.erase(at);
    }

    /// After healing every call that somebody waits for is answered.
    void settle() {
        for (int round = 0; round < 10'000 && !done(); ++round) {
            if (!connected_) connect();
            if (unsent_ > 0) {
                lose();
                connect();
            }
            send();
            answer();
        }
        ASSERT_TRUE(done());
    }
    bool done() const {
        return std::all_of(calls_.begin(), calls_.end(), [](auto const& one) { return one.second->abandoned; });
    }

    base::random_source random_;
    scripted_lane lane_;
    bool connected_ = false;
    int number_ = 0;
    int run_ = 1;
    int last_word_ = 0;
    resp::reader arrived_;   ///< what the server has of this connection and did not run yet
    std::size_t unsent_ = 0; ///< bytes that the operating system did not take
    std::map<std::string, call_ptr> calls_;
    std::map<std::string, std::set<int>> sent_before_;
    std::map<int, former_connection> former_;
};

TEST(multiplexer_random, answers_every_call_once_with_its_own_reply_and_never_excludes_a_late_copy_that_can_run) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        model(seed).run(120);
        if (HasFatalFailure()) return;
    }
}

} // namespace
} // namespace redlatch::connection
