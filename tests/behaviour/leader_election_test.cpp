// What an election promises: terms that exclude each other, tokens that grow, a loss that is told in time, and who leads.
// What a candidate has in common with all locks, behaviour_test.cpp asks of its lock.
#include "behaviour/kinds.hpp"
#include "integration/child_of_fork.hpp"

#include <future>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::test {
namespace {

config with_short_lease(std::string address) {
    auto settings = quick(std::move(address));
    settings.lock_watchdog_timeout = 1500ms;
    return settings;
}

class leader_election_test : public with_server {
protected:
    client user{with_short_lease(server.uri())};
    client other{with_short_lease(server.uri())};
    leader_election mine = user.get_leader_election(name, {.candidate = "ann"});
    leader_election theirs = other.get_leader_election(name, {.candidate = "bob"});

    std::string leader() { return named(theirs.leader()); }
    static std::string named(std::optional<leader_info> const& leads) { return leads ? leads->candidate : "nobody"; }
    bool is_waited_for() const { return somebody_waits(name); }
    void TearDown() override {
        if (!server.running()) return;
        expect_idle(user);
        expect_idle(other);
        expect_clean_but_for_tokens(server);
    }
};

TEST_F(leader_election_test, has_one_leader_at_a_time_and_a_greater_token_for_each_term) {
    EXPECT_EQ(leader(), "nobody");
    auto first = mine.campaign();
    EXPECT_TRUE(first);
    EXPECT_TRUE(mine.is_leading());
    EXPECT_FALSE(theirs.is_leading());
    EXPECT_EQ(first.election_name(), name);
    EXPECT_EQ(leader(), "ann");
    EXPECT_FALSE(theirs.try_campaign());
    EXPECT_EQ(outcome_of([&] { auto const never = theirs.campaign({.wait = 1s}); }).reason, errc::timed_out);
    auto waiting = in_thread([&] { return theirs.campaign({.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return is_waited_for(); }));
    first.resign();
    EXPECT_FALSE(first);
    EXPECT_EQ(outcome_of([&] { first.ensure_leading(); }).reason, errc::lease_lost);
    auto const second = waiting.get();
    second.ensure_leading();
    EXPECT_GT(second.token(), first.token());
    EXPECT_NE(second.owner_id(), first.owner_id());
    EXPECT_EQ(leader(), "bob");
}

TEST_F(leader_election_test, tells_who_leads_with_token_lease_and_id) {
    auto const term = mine.campaign();
    auto const seen = theirs.leader();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->candidate, "ann");
    EXPECT_EQ(seen->owner_id, term.owner_id());
    EXPECT_EQ(seen->token, term.token());
    ASSERT_TRUE(seen->remaining_lease);
    EXPECT_GT(*seen->remaining_lease, 0ms);
    EXPECT_LE(*seen->remaining_lease, 1500ms);
}

TEST_F(leader_election_test, is_seen_by_those_who_look_at_locks) {
    auto const term = mine.campaign();
    auto const info = other.get_lock(name).inspect({.labels = true});
    EXPECT_EQ(info.type, "election");
    ASSERT_EQ(info.owners.size(), 1U);
    EXPECT_EQ(info.owners[0].label, "ann");
    EXPECT_EQ(info.owners[0].client, user.id());
    auto const listed = other.list_locks(name);
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].owners.at(0).label, "ann");
}

TEST_F(leader_election_test, names_a_candidate_by_its_clients_label_where_none_is_given) {
    auto settings = quick(server.uri());
    settings.holder_label = "web-1";
    client labelled(settings);
    auto election = labelled.get_leader_election(name);
    EXPECT_EQ(election.candidate(), "web-1");
    {
        auto const term = election.campaign();
        EXPECT_EQ(leader(), "web-1");
    }
    settings.holder_label = "";
    client silent(settings);
    auto const term = silent.get_leader_election(name).campaign();
    auto const seen = theirs.leader();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->candidate, "");
    EXPECT_EQ(seen->owner_id, term.owner_id());
}

TEST_F(leader_election_test, refuses_candidates_that_cannot_be_shown) {
    for (auto const& odd : {std::string(), std::string("a\nb"), std::string("\x1b[31m"), std::string("a\0b", 3),
                            std::string("\x7f"), std::string(257, 'x'), std::string(10'000, 'x')}) {
        auto const said = outcome_of([&] { user.get_leader_election(name, {.candidate = odd}); });
        EXPECT_EQ(said.reason, errc::invalid_argument);
        EXPECT_NE(said.message.find("1 to 256 bytes and no control characters"), std::string::npos) << said;
        EXPECT_EQ(said.message.find('\n'), std::string::npos);
    }
    EXPECT_EQ(outcome_of([&] { user.get_leader_election(""); }).reason, errc::bad_name);
    EXPECT_EQ(outcome_of([&] { user.get_leader_election(std::string(70'000, 'x')); }).reason, errc::bad_name);
}

TEST_F(leader_election_test, takes_candidates_of_any_other_bytes) {
    for (auto const& odd : {std::string(256, 'x'), std::string("write"), std::string("a:b:write"), std::string(":"),
                            std::string("h\xc3\xa4user 7"), std::string("\xff\xfe")}) {
        auto election = user.get_leader_election(name, {.candidate = odd});
        auto const term = election.campaign();
        EXPECT_EQ(leader(), odd);
        auto const info = other.get_lock(name).inspect();
        EXPECT_EQ(info.type, "election") << odd;
        EXPECT_EQ(info.owners.at(0).label, odd);
    }
}

TEST_F(leader_election_test, refuses_a_candidate_that_leads_already) {
    auto const term = mine.campaign();
    auto copy = mine;
    auto const said = outcome_of([&] { auto const never = copy.campaign(); });
    EXPECT_EQ(said.reason, errc::would_deadlock);
    EXPECT_NE(said.message.find("candidate 'ann' leads election '" + name + "' already"), std::string::npos) << said;
    std::error_code ec;
    EXPECT_FALSE(mine.try_campaign({}, ec));
    EXPECT_EQ(ec, errc::would_deadlock);
    std::promise<std::error_code> told;
    mine.async_campaign({}, {}, [&](std::error_code how, leadership const& got) {
        EXPECT_FALSE(got);
        told.set_value(how);
    });
    EXPECT_EQ(told.get_future().get(), errc::would_deadlock);
    EXPECT_TRUE(term);
    EXPECT_EQ(leader(), "ann");
}

TEST_F(leader_election_test, lets_two_candidates_of_one_client_stand_against_each_other) {
    auto third = user.get_leader_election(name, {.candidate = "ann"}); // the same name, another candidate
    auto term = mine.campaign();
    EXPECT_FALSE(third.try_campaign());
    auto waiting = in_thread([&] { return third.campaign({.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    auto const before = term.token();
    term.resign();
    auto const next = waiting.get();
    EXPECT_GT(next.token(), before);
    EXPECT_TRUE(third.is_leading());
    EXPECT_FALSE(mine.is_leading());
}

TEST_F(leader_election_test, excludes_holders_of_a_lock_of_that_name) {
    auto held = other.get_lock(name).acquire();
    EXPECT_FALSE(mine.try_campaign());
    auto const seen = theirs.leader();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->candidate, "");
    EXPECT_EQ(seen->token, std::nullopt) << "a mere lock";
    held.release();
    EXPECT_TRUE(mine.try_campaign());
}

TEST_F(leader_election_test, tells_a_loss_before_another_candidate_can_lead) {
    byte_proxy proxy{server.address()};
    auto brief = with_short_lease(proxy.uri());
    brief.lock_watchdog_timeout = 4s;
    brief.validity_margin = 1900ms; // as much time has who is told, on a loaded machine too
    client through(brief);
    auto far = through.get_leader_election(name, {.candidate = "far"});
    auto term = far.campaign({.wait = 10s});
    std::promise<bool> told; // whether the key was there still
    std::stop_callback const lost(term.lost(), [&] { told.set_value(exists(name)); });
    auto waiting = in_thread([&] { return mine.campaign({.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return is_waited_for(); }));
    proxy.hold(direction::to_server);
    EXPECT_TRUE(told.get_future().get()) << "told when the lease had run out already";
    EXPECT_FALSE(term);
    auto const next = waiting.get();
    EXPECT_GT(next.token(), term.token());
    EXPECT_EQ(outcome_of([&] { term.ensure_leading(); }).reason, errc::lease_lost);
}

TEST_F(leader_election_test, is_lost_when_somebody_ends_it_by_force_or_deletes_everything) {
    for (bool const by_force : {true, false}) {
        auto term = mine.campaign();
        std::promise<void> told;
        std::stop_callback const lost(term.lost(), [&] { told.set_value(); });
        if (by_force)
            other.get_lock(name).force_unlock();
        else
            server.run("FLUSHALL");
        told.get_future().get();
        std::error_code ec;
        term.resign(ec);
        EXPECT_EQ(ec, errc::lease_lost);
        EXPECT_FALSE(mine.is_leading());
        auto const next = mine.campaign();
        EXPECT_EQ(leader(), "ann");
        if (by_force) {
            EXPECT_GT(next.token(), term.token());
        }
    }
}

TEST_F(leader_election_test, stands_again_after_the_server_has_restarted_empty) {
    auto term = mine.campaign();
    server.restart(redis_server::data::lost);
    ASSERT_TRUE(wait_until([&] { return term.lost().stop_requested(); }));
    auto const next = mine.campaign({.wait = 20s});
    EXPECT_EQ(named(mine.leader()), "ann");
}

// --- who leads, as it changes

TEST_F(leader_election_test, tells_an_observer_of_a_new_leader_and_of_none) {
    client leading(quick(server.uri())); // with leases of 30 s
    client watching(quick(server.uri()));
    auto ann = leading.get_leader_election(name, {.candidate = "ann"});
    auto observer = watching.get_leader_election(name);
    std::optional<leader_info> last;
    auto term = ann.campaign();
    last = observer.wait_for_change(last, {.wait = 20s});
    EXPECT_EQ(named(last), "ann") << "at once: it is another one than nobody";
    auto waiting = in_thread([&] { return observer.wait_for_change(last, {.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return is_waited_for(); }));
    auto const began = test_clock::now();
    term.resign();
    last = waiting.get();
    EXPECT_EQ(named(last), "nobody");
    EXPECT_LT(since(began), 1000ms) << "by the message, and not when the lease has run out";
    auto first = in_thread([&] { return observer.wait_for_change(last, {.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return is_waited_for(); }));
    auto const again = ann.campaign();
    last = first.get();
    ASSERT_TRUE(last);
    EXPECT_EQ(last->owner_id, again.owner_id());
    EXPECT_EQ(last->token, again.token());
}

TEST_F(leader_election_test, tells_an_observer_of_another_term_of_the_same_candidate) {
    auto const before = [&] {
        auto const term = mine.campaign();
        return theirs.leader();
    }();
    auto const term = mine.campaign();
    auto const now = theirs.wait_for_change(before, {.wait = 20s});
    ASSERT_TRUE(now);
    EXPECT_EQ(now->owner_id, term.owner_id());
}

TEST_F(leader_election_test, tells_an_observer_of_a_leader_that_is_gone_without_a_message) {
    auto const term = mine.campaign({.lease = 2s});
    auto const last = theirs.leader();
    EXPECT_EQ(named(theirs.wait_for_change(last, {.wait = 20s})), "nobody");
}

TEST_F(leader_election_test, asks_seldom_while_nothing_changes) {
    auto const term = mine.campaign();
    auto const last = theirs.leader();
    auto const asked = [&] { return server.run("INFO", "commandstats").text; };
    auto const evaluations = [&] {
        auto const text = asked();
        auto const at = text.find("cmdstat_evalsha:calls=");
        return at == std::string::npos ? 0 : std::stoi(text.substr(at + std::string("cmdstat_evalsha:calls=").size()));
    };
    auto const before = evaluations();
    EXPECT_EQ(outcome_of([&] { theirs.wait_for_change(last, {.wait = 1s}); }).reason, errc::timed_out);
    EXPECT_LE(evaluations() - before, 8) << "at the end of each lease, and renewals of another client";
}

TEST_F(leader_election_test, ends_an_observation_at_once_by_its_deadline_a_stop_and_a_close) {
    EXPECT_EQ(outcome_of([&] { mine.wait_for_change({}, {.wait = 0s}); }).reason, errc::busy);
    auto const said = outcome_of([&] { mine.wait_for_change({}, {.wait = 1s}); });
    EXPECT_EQ(said.reason, errc::timed_out);
    EXPECT_NE(said.message.find("election '" + name + "' got no other leader"), std::string::npos) << said;
    EXPECT_EQ(outcome_of([&] { mine.wait_for_change({}, {.wait = -1s}); }).reason, errc::invalid_argument);
    std::stop_source stop;
    auto waiting = in_thread([&] { return outcome_of([&] { mine.wait_for_change({}, {.stop = stop.get_token()}); }); });
    ASSERT_TRUE(wait_until([&] { return is_waited_for(); }));
    stop.request_stop();
    EXPECT_EQ(waiting.get().reason, errc::cancelled);
    auto last = in_thread([&] { return outcome_of([&] { mine.wait_for_change({}); }); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    user.close();
    EXPECT_EQ(last.get().reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { mine.leader(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { auto const never = mine.campaign(); }).reason, errc::closed);
}

TEST_F(leader_election_test, says_that_another_kind_of_thing_has_its_name) {
    for (auto const& before : {std::vector<std::string>{"SET", name, "7"},
                               std::vector<std::string>{"HSET", name, "mode", "read", "me:1", "1"},
                               std::vector<std::string>{"HSET", name, "foo", "bar"},
                               std::vector<std::string>{"HSET", name, "mode", "read"}}) {
        server.admin().command(before);
        for (auto const& said : {outcome_of([&] { mine.leader(); }), outcome_of([&] { mine.wait_for_change({}); })}) {
            EXPECT_EQ(said.reason, errc::wrong_type);
            EXPECT_NE(said.message.find("is not a leader election"), std::string::npos) << said;
        }
        server.run("DEL", name);
    }
}

// --- work that only a leader does

TEST_F(leader_election_test, runs_work_as_leader_and_resigns_whatever_comes_of_it) {
    int terms = 0;
    EXPECT_EQ(mine.run_as_leader([&](leadership& term) {
        term.ensure_leading();
        EXPECT_EQ(leader(), "ann");
        ++terms;
    }),
              term_end::finished);
    EXPECT_EQ(leader(), "nobody");
    EXPECT_THROW(mine.run_as_leader([](leadership&) { throw std::runtime_error("broken"); }), std::runtime_error);
    EXPECT_EQ(leader(), "nobody");
    EXPECT_EQ(mine.run_as_leader([](leadership& term) { term.resign(); }, {.again = true}), term_end::finished);
    EXPECT_EQ(terms, 1);
    leadership kept;
    EXPECT_EQ(mine.run_as_leader([&](leadership& term) { kept = std::move(term); }, {.again = true}),
              term_end::finished)
        << "it leads on";
    EXPECT_EQ(leader(), "ann");
    kept.resign();
    EXPECT_EQ(outcome_of([&] { mine.run_as_leader({}); }).reason, errc::invalid_argument);
    auto const held = other.get_lock(name).acquire();
    EXPECT_EQ(outcome_of([&] { mine.run_as_leader([](leadership&) {}, {.campaign = {.wait = 1s}}); }).reason,
              errc::timed_out);
}

TEST_F(leader_election_test, runs_work_again_after_a_loss_until_it_is_stopped) {
    std::stop_source stop;
    std::vector<std::uint64_t> tokens;
    auto const lose = [&](leadership& term) {
        tokens.push_back(term.token());
        other.get_lock(name).force_unlock();
        ASSERT_TRUE(wait_until([&] { return term.lost().stop_requested(); }));
    };
    EXPECT_EQ(mine.run_as_leader(lose), term_end::lost);
    auto const end = mine.run_as_leader(
        [&](leadership& term) {
            if (tokens.size() == 3) stop.request_stop();
            lose(term);
        },
        {.campaign = {.stop = stop.get_token()}, .again = true});
    EXPECT_EQ(end, term_end::stopped);
    ASSERT_EQ(tokens.size(), 4U);
    EXPECT_TRUE(std::is_sorted(tokens.begin(), tokens.end()));
    auto const held = other.get_lock(name).acquire();
    EXPECT_EQ(mine.run_as_leader([](leadership&) {}, {.campaign = {.stop = stop.get_token()}}), term_end::stopped)
        << "while it waited";
}

// --- both faces, and the ends of objects

TEST_F(leader_election_test, does_all_of_it_with_handlers) {
    std::promise<leadership> led;
    mine.async_campaign({}, {}, [&](std::error_code, leadership term) { led.set_value(std::move(term)); });
    auto term = led.get_future().get();
    EXPECT_TRUE(term);
    std::promise<std::error_code> refused;
    theirs.async_try_campaign({}, {}, [&](std::error_code ec, std::optional<leadership> const& got) {
        refused.set_value(got ? std::error_code() : ec);
    });
    EXPECT_EQ(refused.get_future().get(), errc::busy);
    std::promise<std::optional<leader_info>> seen;
    theirs.async_leader({}, [&](std::error_code, std::optional<leader_info> who) { seen.set_value(std::move(who)); });
    auto const last = seen.get_future().get();
    EXPECT_EQ(named(last), "ann");
    std::promise<std::string> changed;
    theirs.async_wait_for_change(last, {.wait = 20s}, {},
                                 [&](std::error_code ec, std::optional<leader_info> const& who) {
                                     changed.set_value(ec ? ec.message() : named(who));
                                 });
    ASSERT_TRUE(wait_until([&] { return is_waited_for(); }));
    std::promise<std::error_code> resigned;
    term.async_resign({}, [&](std::error_code ec) { resigned.set_value(ec); });
    EXPECT_EQ(resigned.get_future().get(), std::error_code());
    EXPECT_EQ(changed.get_future().get(), "nobody");
    EXPECT_EQ(outcome_of([&] { mine.async_campaign({}, {}, {}); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { mine.async_try_campaign({}, {}, {}); }).reason, errc::invalid_argument);
    std::promise<bool> leads;
    theirs.async_try_campaign(
        {}, {}, [&](std::error_code, std::optional<leadership> const& got) { leads.set_value(got && *got); });
    EXPECT_TRUE(leads.get_future().get());
}

TEST_F(leader_election_test, ends_a_campaign_by_a_stop_and_leaves_nothing) {
    auto const term = mine.campaign();
    std::stop_source stop;
    auto waiting =
        in_thread([&] { return outcome_of([&] { auto const never = theirs.campaign({.stop = stop.get_token()}); }); });
    ASSERT_TRUE(wait_until([&] { return is_waited_for(); }));
    stop.request_stop();
    EXPECT_EQ(waiting.get().reason, errc::cancelled);
    EXPECT_EQ(leader(), "ann");
}

TEST_F(leader_election_test, is_over_with_its_client) {
    client short_lived(with_short_lease(server.uri()));
    auto term = short_lived.get_leader_election(name).campaign();
    short_lived.close();
    EXPECT_FALSE(term);
    EXPECT_TRUE(term.lost().stop_requested());
    EXPECT_EQ(leader(), "nobody");
}

TEST_F(leader_election_test, refuses_every_call_to_one_that_was_moved_from) {
    auto const moved = std::move(mine);
    std::error_code ec;
    EXPECT_FALSE(mine.campaign({}, ec)); // NOLINT(bugprone-use-after-move): what happens then
    EXPECT_EQ(ec, errc::invalid_argument);
    for (auto const& said :
         {outcome_of([&] { auto const never = mine.campaign(); }), outcome_of([&] { mine.leader(); }),
          outcome_of([&] { mine.wait_for_change({}); }), outcome_of([&] { mine.lock(); }),
          outcome_of([&] { mine.run_as_leader([](leadership&) {}); })})
        EXPECT_EQ(said.reason, errc::invalid_argument) << said;
    EXPECT_EQ(mine.name(), "");
    EXPECT_EQ(mine.candidate(), "");
    EXPECT_FALSE(mine.is_leading());
    leadership none;
    EXPECT_FALSE(none);
    EXPECT_EQ(none.token(), 0U);
    EXPECT_EQ(outcome_of([&] { none.ensure_leading(); }).reason, errc::lease_lost);
    none.resign();
}

TEST_F(leader_election_test, is_lost_in_the_child_of_a_fork_and_refuses_there) {
    auto const term = mine.campaign();
    auto const status = status_of_child([&] {
        std::error_code ec;
        auto const none = mine.campaign({}, ec);
        bool const refused = ec == errc::forked && !none;
        return !term && refused && !mine.is_leading() ? 0 : 1;
    });
    ASSERT_EQ(status, 0);
    EXPECT_TRUE(term);
    EXPECT_EQ(leader(), "ann");
}

} // namespace
} // namespace redlatch::test
