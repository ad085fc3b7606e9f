// Where to connect to: asked before each attempt of a lane whose server may be another one each time.
#pragma once

#include "base/time.hpp"
#include "io/endpoint.hpp"
#include "io/tls/tls_client.hpp"

#include <redlatch/error.hpp>
#include <redlatch/server_facts.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace redlatch::io {

class reactor;

/// Thread-safe.
class locator {
public:
    struct place {
        endpoint where{};
        std::shared_ptr<tls_client> tls{}; ///< null: without
    };

    locator() = default;
    locator(locator const&) = delete;
    locator& operator=(locator const&) = delete;
    virtual ~locator() = default;

    /// Blocks, for the answers of other servers and of name servers, until `until` at most (a name server may take longer).
    /// False: it is not known, see `problem`.
    virtual bool locate(place& out, base::instant until, errc& reason, std::string& problem) = 0;
    /// What was to be there could not be connected to.
    virtual void doubt(endpoint const& endpoint) = 0;
};

/// Finds the master among several servers, and notices when it is another one.
class master_locator : public locator {
public:
    /// On the reactor: where all connections belong, for the log what others are then, and whether that is new.
    using on_master = std::function<void(endpoint const& master, std::string const& reason, bool news)>;

    /// Until close() `tell` is called when there is another master, and now and then when there is none. Starts the reactor,
    /// or with config::lazy_threads waits until it runs.
    virtual void watch(std::shared_ptr<reactor> const& loop, on_master tell) = 0;
    /// Ends the watch, and what other threads are just asking.
    virtual void close() = 0;
    /// What Sentinels have said of themselves when they were last asked. None: there are none.
    virtual std::optional<sentinel_facts> sentinels() { return std::nullopt; }

protected:
    /// All lanes that have to move to another master do so within this: until then nobody is asked again where it is.
    static constexpr base::milliseconds news_last{1'000};
};

} // namespace redlatch::io
