// A minimum hold of a leader: nobody leads sooner than that after its term began, and who looks is told that it has resigned.
#include "behaviour/kinds.hpp"

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::test {
namespace {

class leader_minimum_hold : public with_server {
protected:
    client user{quick(server.uri())};
    client other{quick(server.uri())};
    leader_election mine = user.get_leader_election(name, {.candidate = "ann"});
    leader_election theirs = other.get_leader_election(name, {.candidate = "bob"});

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean_but_for_tokens(server);
    }
};

TEST_F(leader_minimum_hold, keeps_everybody_from_leading_until_a_minimum_hold_is_over) {
    auto const began = test_clock::now();
    constexpr auto minimum = 1200ms;
    auto term = mine.campaign({.hold_at_least = minimum});
    auto const first = theirs.leader();
    ASSERT_TRUE(first);
    EXPECT_FALSE(first->resigned);
    auto const token = term.token();
    term.resign();
    EXPECT_EQ(term.status(), hold_status::released);
    EXPECT_FALSE(mine.is_leading());
    EXPECT_FALSE(theirs.try_campaign());
    EXPECT_FALSE(mine.try_campaign()) << "not the one that has resigned either";
    auto const next = theirs.campaign({.wait = 20s});
    EXPECT_GE(since(began), minimum);
    EXPECT_GT(next.token(), token);
}

TEST_F(leader_minimum_hold, tells_that_a_leader_has_resigned_and_that_nobody_can_lead_yet) {
    auto term = mine.campaign({.hold_at_least = 60s});
    auto const last = theirs.leader();
    auto waiting = in_thread([&] { return theirs.wait_for_change(last, {.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    term.resign();
    auto const rest = waiting.get();
    ASSERT_TRUE(rest);
    EXPECT_TRUE(rest->resigned);
    EXPECT_EQ(rest->candidate, "ann");
    EXPECT_EQ(rest->token, term.token());
    ASSERT_TRUE(rest->remaining_lease);
    EXPECT_GT(*rest->remaining_lease, 30s) << "more than a lease";
    EXPECT_LE(*rest->remaining_lease, 60s);
    EXPECT_EQ(outcome_of([&] { theirs.wait_for_change(rest, {.wait = 0s}); }).reason, errc::busy) << "no change";
    auto const info = other.get_lock(name).inspect();
    EXPECT_EQ(info.type, "election");
    ASSERT_EQ(info.owners.size(), 1U);
    EXPECT_TRUE(info.owners[0].released);
    EXPECT_TRUE(other.get_lock(name).force_unlock());
    EXPECT_FALSE(theirs.wait_for_change(rest, {.wait = 20s})) << "nobody, and it is free";
}

TEST_F(leader_minimum_hold, keeps_a_minimum_hold_in_every_form_of_a_campaign) {
    campaign_options const kept{.hold_at_least = 60s};
    std::vector<std::pair<std::string, std::function<void()>>> const forms{
        {"campaign with a code",
         [&] {
             std::error_code ec;
             mine.campaign(kept, ec).resign();
         }},
        {"try_campaign", [&] { mine.try_campaign(kept).value().resign(); }},
        {"try_campaign with a code",
         [&] {
             std::error_code ec;
             mine.try_campaign(kept, ec).value().resign();
         }},
        {"async_campaign",
         [&] {
             std::promise<leadership> led;
             mine.async_campaign(kept, {}, [&](std::error_code, leadership term) { led.set_value(std::move(term)); });
             led.get_future().get().resign();
         }},
        {"async_try_campaign",
         [&] {
             std::promise<std::optional<leadership>> led;
             mine.async_try_campaign(
                 kept, {}, [&](std::error_code, std::optional<leadership> term) { led.set_value(std::move(term)); });
             led.get_future().get().value().resign();
         }},
        {"run_as_leader",
         [&] { EXPECT_EQ(mine.run_as_leader([](leadership&) {}, {.campaign = kept}), term_end::finished); }},
    };
    for (auto const& [form, leads_and_resigns] : forms) {
        leads_and_resigns();
        auto const rest = theirs.leader();
        ASSERT_TRUE(rest) << form;
        EXPECT_TRUE(rest->resigned) << form;
        EXPECT_GT(*rest->remaining_lease, 30s) << form;
        EXPECT_TRUE(other.get_lock(name).force_unlock());
    }
}

TEST_F(leader_minimum_hold, refuses_a_minimum_hold_that_cannot_be_kept) {
    auto const said = outcome_of([&] { auto const never = mine.campaign({.lease = 1s, .hold_at_least = 2s}); });
    EXPECT_EQ(said.reason, errc::invalid_argument);
    EXPECT_NE(said.message.find("hold_at_least must be no longer than lease"), std::string::npos) << said;
    EXPECT_EQ(outcome_of([&] { (void)mine.try_campaign({.hold_at_least = 0ms}); }).reason, errc::invalid_argument);
    EXPECT_FALSE(theirs.leader());
}

} // namespace
} // namespace redlatch::test
