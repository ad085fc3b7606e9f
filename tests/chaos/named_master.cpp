#include "named_master.hpp"

#include "support/lock_helpers.hpp"
#include "support/wait_until.hpp"

#include <stdexcept>

namespace redlatch::chaos {

std::unique_ptr<test::redis_server> replica_of(test::redis_server const& master) {
    auto result = std::make_unique<test::redis_server>(
        test::server_options{.over = test::server_options::transport::tcp,
                             .arguments = {"--replicaof", "127.0.0.1", std::to_string(master.address().port),
                                           "--repl-diskless-sync-delay", "0"}});
    auto admin = master.admin();
    auto const confirms = [&] {
        admin.command("PUBLISH", "the first message to the replica", "");
        return admin.command("WAIT", "1", "100").integer == 1;
    };
    if (!test::wait_until(confirms)) throw std::runtime_error("the replica does not follow");
    return result;
}

bool named_master::somebody_listens(std::string const& lock) const {
    return has_subscriber(master_.admin(), test::channel_of(lock));
}

} // namespace redlatch::chaos
