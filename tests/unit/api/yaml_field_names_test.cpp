// What the check of the whole refuses is said in the words of the document.
#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>

#include <gmock/gmock.h>
#include <string>

namespace redlatch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal_in_words_of(std::string const& text) {
    auto message = test::refusal([&] { config::from_yaml(text); });
    EXPECT_THAT(message, HasSubstr("the YAML configuration cannot be used: "));
    EXPECT_THAT(message, Not(HasSubstr("cannot be used: the configuration"))) << "it says so once";
    return message;
}

TEST(yaml_field_names, are_those_of_the_document_with_its_line) {
    EXPECT_THAT(refusal_in_words_of("singleServerConfig:\n  address: redis://h\n  clientName: two words\n"),
                HasSubstr("cannot be used: line 3: clientName may have printable ASCII characters only"));
    EXPECT_THAT(
        refusal_in_words_of("singleServerConfig: {address: 'redis://h'}\nredlatch:\n  holderLabel: two words\n"),
        HasSubstr("line 3: holderLabel may have"));
    EXPECT_THAT(refusal_in_words_of("clusterServersConfig:\n  nodeAddresses: ['redis://h:1', 'rediss://g:1']\n"),
                HasSubstr("line 2: nodeAddresses has addresses with TLS and without it"));
    EXPECT_THAT(refusal_in_words_of("sentinelServersConfig:\n  sentinelAddresses: ['redis://h:1']\n"),
                HasSubstr("masterName is empty"));
    EXPECT_THAT(refusal_in_words_of("spring.redis:\n  host: h\n  client-name: two words\n"),
                HasSubstr("line 3: client-name may have"));
    EXPECT_THAT(
        refusal_in_words_of("a: &a 1\nspring.redis.redisson.config: |\n  singleServerConfig:\n    address: redis://h\n"
                            "    clientName: two words\n"),
        HasSubstr("line 5: clientName may have"));
}

TEST(yaml_field_names, are_given_for_each_field_of_a_sentence) {
    EXPECT_THAT(refusal_in_words_of("lockWatchdogTimeout: 30000\nfencingCounterTtl: 20000\n"
                                    "singleServerConfig: {address: 'redis://h'}\n"),
                HasSubstr("line 2: fencingCounterTtl is 20000 ms, less than lockWatchdogTimeout (line 1); a lock"));
    EXPECT_THAT(refusal_in_words_of("singleServerConfig: {address: 'redis://h'}\nredlatch:\n  validityMargin: 30000\n"),
                HasSubstr("line 3: validityMargin must be less than lockWatchdogTimeout; otherwise"));
}

TEST(yaml_field_names, leave_ordinary_words_alone) {
    EXPECT_THAT(refusal_in_words_of("singleServerConfig:\n  address: redis://h\n  password: x\n  username: u\n"
                                    "redlatch:\n  passwordFile: /run/p\n"),
                AllOf(HasSubstr("line 6: passwordFile and a password are both set; give one")));
    EXPECT_THAT(
        refusal_in_words_of("sentinelServersConfig:\n  sentinelAddresses: ['redis://h:26379']\n  masterName: m\n"
                            "  sentinelPassword: x\nredlatch:\n  sentinelPasswordFile: /run/p\n"),
        HasSubstr("line 6: sentinelPasswordFile and a password of the Sentinels are both set; give one"));
}

} // namespace
} // namespace redlatch
