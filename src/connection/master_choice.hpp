// Which of several servers is the master, as they say it themselves.
//
// | event                                     | the master                                                                |
// |-------------------------------------------|---------------------------------------------------------------------------|
// | a replica says that it is the master now  | this one: it was promoted                                                 |
// | another one says so too, and was not seen | the one that we have: which of the two is right cannot be known           |
// | as a replica before                       |                                                                           |
// | the master says that it is a replica      | another one that says that it is the master; none: the same, until there  |
// |                                           | is one                                                                    |
// | the master is not heard of                | the same, until another one says that it is, but for an old master from   |
// |                                           | before a promotion that has not said since that it is a replica           |
// | all were asked, as it was not there       | the same, if it says so; else the first one of the list that does         |
#pragma once

#include "connection/role_reply.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace redlatch::connection {

/// Not thread-safe. Servers are their places in the list of the configuration.
class master_choice {
public:
    explicit master_choice(std::size_t servers) : said_(servers, server_role::unknown), superseded_(servers, false) {}

    std::optional<std::size_t> master() const noexcept { return master_; }

    /// Unknown: it is not heard of any more. True: another one is the master now. All connections belong to master().
    bool on_role(std::size_t index, server_role role) {
        auto const before = std::exchange(said_[index], role);
        if (role == server_role::replica) superseded_[index] = false;
        if (master_ == index && role == server_role::replica) {
            superseded_.assign(superseded_.size(), false); // by this one, which is the master no more
            return take_another();
        }
        if (role != server_role::master || master_ == index) return false;
        bool const doubtful = master_ && said_[*master_] == server_role::master && before != server_role::replica;
        if (doubtful || superseded_[index]) return false;
        bool const promoted = before == server_role::replica;
        if (promoted && master_) superseded_[*master_] = said_[*master_] != server_role::replica;
        master_ = index;
        return true;
    }
    /// All were asked, and these, of which there is at least one, say that they are the master. Which one is used.
    std::size_t choose(std::vector<std::size_t> const& masters) {
        bool const stays = master_ && std::find(masters.begin(), masters.end(), *master_) != masters.end();
        if (!stays) master_ = *std::min_element(masters.begin(), masters.end());
        superseded_[*master_] = false;
        return *master_;
    }

private:
    bool take_another() {
        for (std::size_t other = 0; other < said_.size(); ++other) {
            if (said_[other] != server_role::master) continue;
            master_ = other;
            return true;
        }
        return false;
    }

    std::vector<server_role> said_;
    std::vector<bool> superseded_; ///< another one was promoted in its place
    std::optional<std::size_t> master_{};
};

} // namespace redlatch::connection
