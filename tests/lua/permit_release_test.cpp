// permit_release: permits that are given back, and acquisitions that are undone.
#include "lua/permit_script.hpp"

namespace redlatch::test {
namespace {

using locking::scripts::permit_acquire;
using locking::scripts::permit_release;

class permit_release_script : public permit_script {};
REDLATCH_ON_EVERY_SERVER(permit_release_script);

TEST_P(permit_release_script, gives_permits_back_all_or_none) {
    run(permit_release, {{.what = "one",
                          .before = {number("1"), leased(one), leased(two)},
                          .keys = about(),
                          .arguments = {"PUBLISH", permit_channel, "0", one},
                          .reply = "4",
                          .reply_to_a_repeat = "0",
                          .after = {"permits 2 no expiry", timeouts + " <" + two + "=100s> no expiry"},
                          .told = {permit_channel + " 2"}},
                         {.what = "one that is there and one that is not",
                          .before = {number("0"), leased(one)},
                          .keys = about(),
                          .arguments = {"PUBLISH", permit_channel, "0", one, two},
                          .reply = "-2",
                          .reply_to_a_repeat = "-2",
                          .after = {"permits 0 no expiry", timeouts + " <" + one + "=100s> no expiry"}},
                         {.what = "one whose lease is over: it comes back, and is not there",
                          .before = {number("0"), leased(one), ended(two)},
                          .keys = about(),
                          .arguments = {"PUBLISH", permit_channel, "0", one, two},
                          .reply = "-2",
                          .reply_to_a_repeat = "-2",
                          .after = {"permits 1 no expiry", timeouts + " <" + one + "=100s> no expiry"},
                          .told = {permit_channel + " 1"}},
                         {.what = "undone: what is there",
                          .before = {number("0"), leased(one)},
                          .keys = about({undone}),
                          .arguments = {"PUBLISH", permit_channel, "60000", one, two},
                          .reply = "4",
                          .reply_to_a_repeat = "0",
                          .after = {"permits 1 no expiry", undone + " 0 60s"},
                          .told = {permit_channel + " 1"}}});
}

TEST_P(permit_release_script, gives_back_what_its_holder_knows_to_be_valid) {
    run(permit_release, {{.what = "one: what others have is not looked at",
                          .before = {number("0"), leased(one), ended(two)},
                          .keys = about(),
                          .arguments = {"PUBLISH", permit_channel, "1", one},
                          .reply = "4",
                          .reply_to_a_repeat = "0",
                          .after = {"permits 1 no expiry", timeouts + " <" + two + "=over> no expiry"},
                          .after_a_repeat = {{"permits 2 no expiry"}},
                          .told = {permit_channel + " 1", permit_channel + " 2"}},
                         {.what = "one that is not there",
                          .before = {number("0"), leased(two)},
                          .keys = about(),
                          .arguments = {"PUBLISH", permit_channel, "1", one},
                          .reply = "0",
                          .reply_to_a_repeat = "0",
                          .after = {"permits 0 no expiry", timeouts + " <" + two + "=100s> no expiry"}}});
}

TEST_P(permit_release_script, gives_back_alike_whatever_is_known_of_the_lease) {
    for (std::string const known : {"0", "1"})
        run(permit_release, {{.what = "two",
                              .before = {number("0"), leased(one), for_ever(two)},
                              .keys = about(),
                              .arguments = {"PUBLISH", permit_channel, known, one, two},
                              .reply = "4",
                              .reply_to_a_repeat = "0",
                              .after = {"permits 2 no expiry"},
                              .told = {permit_channel + " 2"}},
                             {.what = "fewer than none: nobody is told, whom it could not help",
                              .before = {number("-3"), leased(one)},
                              .keys = about(),
                              .arguments = {"PUBLISH", permit_channel, known, one},
                              .reply = "1",
                              .reply_to_a_repeat = "0",
                              .after = {"permits -2 no expiry"}},
                             {.what = "the semaphore is gone: it is not made again",
                              .before = {leased(one)},
                              .keys = about(),
                              .arguments = {"PUBLISH", permit_channel, known, one},
                              .reply = "1",
                              .reply_to_a_repeat = "0",
                              .after = {}}});
}

TEST_P(permit_release_script, lets_a_late_copy_of_an_undone_acquisition_take_nothing) {
    command(number("1"));
    auto const keys = about({undone});
    EXPECT_EQ(shown(call(permit_release, keys, {"PUBLISH", permit_channel, "60000", one})), "0");
    EXPECT_EQ(shown(call(permit_acquire, keys, {"PUBLISH", permit_channel, "0", one})), "-1");
    EXPECT_EQ(state(), (std::vector<std::string>{"permits 1 no expiry", undone + " 0 60s"}));
}

} // namespace
} // namespace redlatch::test
