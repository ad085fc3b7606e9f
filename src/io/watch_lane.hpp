// A lane that is there to hear how servers are arranged.
#pragma once

#include "io/endpoint.hpp"
#include "io/lane.hpp"
#include "io/random_seed.hpp"

#include <redlatch/config.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace redlatch::io {

/// A probe is due when nothing was heard for half of scan_interval, which is looked at as often: so each scan_interval.
inline lane::settings watch_lane_settings(config const& settings, endpoint const& endpoint,
                                          connection::greeting const& words, std::shared_ptr<tls_client> tls,
                                          std::shared_ptr<locator> places) {
    lane::settings how;
    how.where = endpoint;
    how.words = words;
    how.timeout = settings.timeout;
    how.connect_timeout = std::min(settings.connect_timeout, settings.timeout);
    how.longest_pause = settings.retry_delay;
    how.ping_interval = std::max(settings.topology.scan_interval / 2, base::milliseconds(1));
    how.seed = random_seed();
    how.tls = std::move(tls);
    how.places = std::move(places);
    return how;
}

/// Connects, and for ever again. The reactor is started for it: who does not hear of a failover may go on for seconds with a
/// server that has become a replica, or will be one.
inline void begin_watch(reactor& loop, std::weak_ptr<lane> line, bool lazy_threads) {
    auto const begin = [line = std::move(line)] {
        if (auto const alive = line.lock()) alive->submit([] {}, false);
    };
    if (lazy_threads)
        loop.at(lease_clock::now(), begin);
    else
        loop.post(begin);
}

} // namespace redlatch::io
