// Several simulated servers as a Redis Cluster: what they tell each other, a replica that takes over, slots that move.
//
// | number                  | what it is in the beginning                          |
// |-------------------------|------------------------------------------------------|
// | 0 to masters - 1        | a master, with its share of the slots                |
// | masters to 2 masters -1 | the replica of the master with `masters` less        |
// | 2 masters               | a node that has not joined                           |
// Each node believes what it has heard (membership). Which node is right is known here: a slot belongs to whoever has claimed
// it with the greatest epoch, from the moment at which it did. Replicas have no data of their own: one that takes over gets
// those of its master, of that moment or an earlier one.
#pragma once

#include "sim/server/membership.hpp"
#include "sim/world/key_ownership.hpp"
#include "sim/world/server_host.hpp"
#include "sim/world/world.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::sim {

class simulated_cluster final : public key_ownership {
public:
    struct arrangement {
        int masters = 3;
        int first_share = 0;  ///< which master has the lowest slots
        bool is_whole = true; ///< it serves nothing while slots have no master (cluster-require-full-coverage)
    };
    /// Before the hosts are there: they are given membership_of(). Those are used from begin() on.
    simulated_cluster(world& in, arrangement how);
    void begin(std::deque<server_host>& hosts);

    static int servers_for(int masters) { return 2 * masters + 1; }
    membership& membership_of(int number) { return nodes_.at(static_cast<std::size_t>(number)); }
    membership const& membership_of(int number) const { return nodes_.at(static_cast<std::size_t>(number)); }

    // Who is right.

    int master_of(std::uint16_t slot) const { return truth_.at(slot); }
    /// While its slot is on its way, on either node.
    int home_of(std::string const& key) const override;
    bool has_keys_of(int number, std::string const& key) const override;

    // What may happen.

    /// A slot moves, key by key, and has a new master after `lasts`. `early`: so many keys move soon, and the others in the
    /// end, so that it is divided for most of the time; 0: one after the other in the second half. False: not now.
    enum class ending : std::uint8_t { usual, source_told_late, given_up };
    bool migrate(std::uint16_t slot, int to, moment lasts, ending how, int early = 0);
    /// The replica of this master takes over with these data. False: it cannot.
    bool take_over(int master, keyspace data);
    /// It hears nothing of the others, and they nothing of it.
    void isolate(int number);
    void rejoin(int number);
    /// A server has come back.
    void on_started(int number);
    /// Why a node answers CLUSTERDOWN.
    enum class reason : std::uint8_t { minority, rejoining, uncovered, fault };
    void set_down(int number, reason why, bool down);
    /// All but this one, where the cluster is to be whole.
    void lack_slots_of(int number);
    void join(int number);
    int spare() const { return 2 * how_.masters; }
    int masters() const { return how_.masters; }

private:
    struct migration {
        int from = 0;
        int to = 0;
        std::uint64_t number = 0;
    };
    server_host& host(int number) { return hosts_->at(static_cast<std::size_t>(number)); }
    server_host const& host(int number) const { return hosts_->at(static_cast<std::size_t>(number)); }
    int size() const { return static_cast<int>(nodes_.size()); }
    int partner_of(int number) const;
    bool hears(int number) const;
    void tell(int from);
    void tell_all();
    void after_a_while(std::function<void()> what);
    void hear(int from, int to);
    void learn_slots(int from, int to);
    void be_told(int number, std::uint16_t slot, int owner);
    void settle(int number, std::vector<std::uint16_t> const& lost, int winner);
    void publish(int from, std::string_view channel, std::string_view message, bool of_shard);
    bool goes_on(std::uint16_t slot, std::uint64_t number) const;
    void move_a_key(std::uint16_t slot);
    bool carry_key(int from, int to, std::uint16_t slot);
    void finish(std::uint16_t slot, ending how);
    void give_up(std::uint16_t slot);
    void own(int number, std::uint16_t slot, int owner);

    world& world_;
    arrangement const how_;
    std::deque<server_host>* hosts_ = nullptr;
    std::deque<membership> nodes_;
    std::vector<std::int8_t> truth_;
    std::map<std::uint16_t, migration> migrations_;
    std::set<int> isolated_;
    std::map<int, std::set<reason>> down_;
    std::map<std::pair<int, int>, moment> last_message_; ///< arrives, by sender and receiver
    std::uint64_t latest_epoch_ = 0;
    std::uint64_t numbered_ = 0;
};

} // namespace redlatch::sim
