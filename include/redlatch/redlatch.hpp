// Everything at once.
#pragma once

#include <redlatch/basic_counter.hpp>           // IWYU pragma: export
#include <redlatch/basic_lock.hpp>              // IWYU pragma: export
#include <redlatch/basic_multi_lock.hpp>        // IWYU pragma: export
#include <redlatch/basic_semaphore.hpp>         // IWYU pragma: export
#include <redlatch/client.hpp>                  // IWYU pragma: export
#include <redlatch/completion.hpp>              // IWYU pragma: export
#include <redlatch/config.hpp>                  // IWYU pragma: export
#include <redlatch/count_down_latch.hpp>        // IWYU pragma: export
#include <redlatch/counter_options.hpp>         // IWYU pragma: export
#include <redlatch/embedded_server.hpp>         // IWYU pragma: export
#include <redlatch/error.hpp>                   // IWYU pragma: export
#include <redlatch/event_source.hpp>            // IWYU pragma: export
#include <redlatch/export.hpp>                  // IWYU pragma: export
#include <redlatch/fair_lock.hpp>               // IWYU pragma: export
#include <redlatch/fenced_lock.hpp>             // IWYU pragma: export
#include <redlatch/fencing_gate.hpp>            // IWYU pragma: export
#include <redlatch/hold.hpp>                    // IWYU pragma: export
#include <redlatch/leader_election.hpp>         // IWYU pragma: export
#include <redlatch/lease_clock.hpp>             // IWYU pragma: export
#include <redlatch/lock_info.hpp>               // IWYU pragma: export
#include <redlatch/log.hpp>                     // IWYU pragma: export
#include <redlatch/multi_hold.hpp>              // IWYU pragma: export
#include <redlatch/multi_lock.hpp>              // IWYU pragma: export
#include <redlatch/non_reentrant_fair_lock.hpp> // IWYU pragma: export
#include <redlatch/non_reentrant_lock.hpp>      // IWYU pragma: export
#include <redlatch/options.hpp>                 // IWYU pragma: export
#include <redlatch/owner.hpp>                   // IWYU pragma: export
#include <redlatch/permit_semaphore.hpp>        // IWYU pragma: export
#include <redlatch/permits.hpp>                 // IWYU pragma: export
#include <redlatch/read_write_lock.hpp>         // IWYU pragma: export
#include <redlatch/red_lock.hpp>                // IWYU pragma: export
#include <redlatch/reentrant_lock.hpp>          // IWYU pragma: export
#include <redlatch/semaphore.hpp>               // IWYU pragma: export
#include <redlatch/spin_lock.hpp>               // IWYU pragma: export
#include <redlatch/version.hpp>                 // IWYU pragma: export
