"""Ids that are never used again, the reaper, the predecessor kill."""
from table.files import ACQUISITION, MULTIPLEXER, OP, REAPER, RELEASE_OP, TABLE

MUTANTS = [
    ("the id of a tenure is used again", "src/locking/lock_table.hpp",
     "return ++last_serial_;",
     "return 1 + (last_serial_++ % 2);"),
    ("a stale acquisition keeps its id", TABLE,
     "    dead.add({tenure->record, tenure->owner_id().str(), lease, tenure->late_copy_possible}, now, now);\n"
     "    tenure->late_copy_possible = false;\n"
     "    tenure->serial = next_serial();",
     "    tenure->late_copy_possible = false;"),
    ("nobody releases what was given up", TABLE,
     "if (may_hold || tenure->late_copy_possible)\n"
     "        dead.add(",
     "if (false)\n"
     "        dead.add("),
    ("nobody sees a release without an answer through", TABLE,
     "    dead.add(dead_id_of(*tenure), now, now);                               // may throw\n",
     "    dead.add(dead_id_of(*tenure), base::never, now);\n"),
    ("the reaper asks once and never again", REAPER,
     "    schedule(number, one, base::later(now, retry_pause(one.failures++)));",
     "    entries_.erase(at);"),
    ("no sweeps where predecessor kills are refused", REAPER,
     "if (!is_swept || now",
     "if (true || now"),
    ("no predecessor kill and no sweep", MULTIPLEXER,
     "    kills_due_ = predecessors_.size();",
     "    predecessors_.clear();\n"
     "    kills_due_ = 0;"),
    ("the predecessor kill kills the wrong connection", MULTIPLEXER,
     "std::to_string(former.client_id)",
     "std::to_string(former.client_id + 1'000)"),
    ("a refused predecessor kill counts as done", MULTIPLEXER,
     "if (!answer.is_integer()) late_copies_possible_ = true;",
     ""),
    ("an abandoned call counts as never run", MULTIPLEXER,
     "    return true; // what is staged",
     "    return false; // what is staged"),
    ("calls of a broken connection are not repeated", MULTIPLEXER,
     "        keep(call); // in their order, and before all that is submitted from now on\n",
     ""),
    ("a late answer that says acquired is ignored", ACQUISITION,
     "last.fresh_id = undo();",
     "undo();\n"
     "    last.fresh_id = false;"),
    ("a re-entry that failed counts", OP,
     "case count_answer::not_held: return finish(outcome::lost);",
     "case count_answer::not_held: break;"),
    ("each release says that the lock was lost", RELEASE_OP,
     "    outcome_ = result;\n",
     "    outcome_ = outcome::lost;\n"),
]
