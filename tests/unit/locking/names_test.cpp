#include "locking/names.hpp"
#include "locking/recipes/fair.hpp"
#include "locking/recipes/latch.hpp"
#include "locking/recipes/permits.hpp"
#include "locking/recipes/read_write.hpp"
#include "locking/recipes/semaphore.hpp"

#include <gtest/gtest.h>

namespace redlatch::locking {
namespace {

struct row {
    std::string name;
    std::string channel;
};

row const names[] = {
    {"orders", "redisson_lock__channel:{orders}"},
    {"{t1}:orders", "redisson_lock__channel:{t1}:orders"},
    {"a{t1}", "redisson_lock__channel:a{t1}"},
    // Java only looks for '{', not for a tag that is complete.
    {"{open", "redisson_lock__channel:{open"},
    {"mid{dle", "redisson_lock__channel:mid{dle"},
    {"end{", "redisson_lock__channel:end{"},
    {"close}", "redisson_lock__channel:{close}}"},
    {"}wrong{", "redisson_lock__channel:}wrong{"},
    {"}", "redisson_lock__channel:{}}"},
    {"{}", "redisson_lock__channel:{}"},
    {"", "redisson_lock__channel:{}"},
    {"a b\r\n", "redisson_lock__channel:{a b\r\n}"},
    {std::string("nul\0nul", 7), std::string("redisson_lock__channel:{nul\0nul}", 32)},
    {"\xff\xfe", "redisson_lock__channel:{\xff\xfe}"},
};

TEST(lock_channel, is_what_java_derives) {
    for (auto const& [name, channel] : names) EXPECT_EQ(lock_channel(name), channel) << name;
}

TEST(lock_channel, of_a_name_and_of_its_tag_alone_is_one) {
    EXPECT_EQ(lock_channel("a"), lock_channel("{a}"));
}

TEST(counter_keys, are_what_java_derives) {
    EXPECT_EQ(semaphore::channel_of("permits"), "redisson_sc:{permits}");
    EXPECT_EQ(semaphore::channel_of("{a}:permits"), "redisson_sc:{a}:permits");
    EXPECT_EQ(latch::channel_of("gate"), "redisson_countdownlatch__channel__{gate}");
    EXPECT_EQ(latch::channel_of("{a}:gate"), "redisson_countdownlatch__channel__{{a}:gate}") << "brackets of its own";
    EXPECT_EQ(permits::timeouts_of("pool"), "{pool}:timeout");
    EXPECT_EQ(permits::timeouts_of("{a}:pool"), "{a}:pool:timeout");
    EXPECT_EQ(request_record("permits", "uuid:1"), "redlatch_request:{permits}:uuid:1");
    EXPECT_EQ(request_record("{a}:permits", "uuid:1"), "redlatch_request:{a}:permits:uuid:1");
}

TEST(auxiliary_keys, follow_the_prefix_rule) {
    EXPECT_EQ(fair::queue_of("orders"), "redisson_lock_queue:{orders}");
    EXPECT_EQ(fair::timeouts_of("orders"), "redisson_lock_timeout:{orders}");
    EXPECT_EQ(token_counter("{t}x"), "redisson_lock_token:{t}x");
}

TEST(numbers_of_locks, are_told_from_semaphores_and_latches) {
    std::string const id = "0e1f2a3b-0000-4000-8000-0123456789ab";
    for (std::string const name : {"orders", "a{b}"}) {
        EXPECT_TRUE(is_number_beside(token_counter(name))) << name;
        EXPECT_TRUE(is_number_beside(request_record(name, id + ":1"))) << name;
        EXPECT_TRUE(is_number_beside(read_hold_prefix(name) + id + ":-7:rwlock_timeout:12")) << name;
        EXPECT_TRUE(is_number_beside(prefixed("redisson_unlock_latch", name) + ":" + id)) << name;
        EXPECT_FALSE(is_number_beside(name)) << name;
        EXPECT_FALSE(is_number_beside(read_hold_prefix(name) + id)) << name;
    }
    for (auto const* other : {"", "redisson_lock_token", "redisson_lock_tokens:{a}", "a:redlatch_request:{b}",
                              "a:rwlock_timeout:", "a:rwlock_timeout:1:b", "a:rwlock_timeout", "rwlock_timeout:1"})
        EXPECT_FALSE(is_number_beside(other)) << other;
}

TEST(kept_owner, has_zero_for_the_number_and_all_that_stands_behind_it) {
    EXPECT_EQ(kept_owner("uuid:17"), "uuid:0");
    EXPECT_EQ(kept_owner("uuid:17:a:candidate"), "uuid:0:a:candidate");
    EXPECT_EQ(kept_owner("uuid:17:"), "uuid:0:");
    for (auto const* const odd : {"", "uuid", ":"}) EXPECT_EQ(kept_owner(odd), std::string(odd) + "0") << odd;
}

TEST(read_write_keys, follow_the_rules_of_prefix_and_suffix) {
    EXPECT_EQ(read_write::channel_of("orders"), "redisson_rwlock:{orders}");
    EXPECT_EQ(read_hold_prefix("orders"), "{orders}:");
    EXPECT_EQ(read_hold_prefix("or{ders"), "or{ders:");
}

TEST(shown_name, is_quoted_and_can_be_read) {
    EXPECT_EQ(shown("orders"), "'orders'");
    EXPECT_EQ(shown(""), "''");
    EXPECT_EQ(shown("bestellungen-\xc3\xbc"), "'bestellungen-\xc3\xbc'");
}

TEST(shown_name, cannot_break_a_line_or_colour_a_terminal) {
    EXPECT_EQ(shown("a\r\nb"), "'a\\x0d\\x0ab'");
    EXPECT_EQ(shown("\x1b[31m"), "'\\x1b[31m'");
    EXPECT_EQ(shown(std::string("\0\x7f", 2)), "'\\x00\\x7f'");
}

TEST(shown_name, cannot_deceive_its_reader) {
    EXPECT_EQ(shown("a\xc2\x9b\xe2\x80\xae"
                    "b\xe2\x81\xa6\xd8\x9c"),
              "'a\\xc2\\x9b\\xe2\\x80\\xaeb\\xe2\\x81\\xa6\\xd8\\x9c'");
    EXPECT_EQ(shown("\xc2\xa0\xe2\x80\x93\xe2\x81\xa0"), "'\xc2\xa0\xe2\x80\x93\xe2\x81\xa0'") << "only what deceives";
    EXPECT_EQ(shown("\xc2"), "'\xc2'");
}

TEST(shown_name, is_cut_and_says_so) {
    std::string const hundred(100, 'x');
    EXPECT_EQ(shown(hundred), "'" + hundred + "'");
    EXPECT_EQ(shown(hundred + "y"), "'" + hundred + "...101 bytes'");
}

} // namespace
} // namespace redlatch::locking
