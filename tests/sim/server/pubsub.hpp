// Who listens to what, in the order of subscription.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::sim {

class pubsub {
public:
    using client = std::uint64_t;
    enum class kind { channel, pattern, shard };

    void subscribe(client who, kind what, std::string_view name);
    void unsubscribe(client who, kind what, std::string_view name);
    void leave(client who);

    /// How many channels and patterns together, as the replies count them.
    std::size_t count(client who) const;
    bool listens(client who) const { return by_client_.contains(who); }
    std::size_t count(client who, kind what) const;
    std::vector<std::string> names(client who, kind what) const;

    std::span<client const> listeners(std::string_view channel, kind what = kind::channel) const;
    /// All channels that somebody listens to.
    std::vector<std::string> channels(kind what) const;
    /// Pattern by pattern.
    std::map<std::string, std::vector<client>, std::less<>> const& patterns() const noexcept { return by_pattern_; }

private:
    using index = std::map<std::string, std::vector<client>, std::less<>>;
    struct names_of_client {
        std::vector<std::string> channels;
        std::vector<std::string> patterns;
        std::vector<std::string> of_shard;
    };

    index const& index_of(kind what) const noexcept {
        return what == kind::channel ? by_channel_ : what == kind::pattern ? by_pattern_ : of_shard_;
    }
    index& index_of(kind what) noexcept { return const_cast<index&>(std::as_const(*this).index_of(what)); }

    index by_channel_;
    index by_pattern_;
    index of_shard_;
    std::map<client, names_of_client> by_client_;
};

} // namespace redlatch::sim
