"""Ids that are never used again, the reaper, the fence."""
from table.files import ACQUISITION, MULTIPLEXER, OP, REAPER, TABLE

MUTANTS = [
    ("the id of a tenure is used again", TABLE,
     "which.serial = ++last_serial_;",
     "which.serial = 1 + (last_serial_++ % 2);"),
    ("a stale acquisition keeps its id", TABLE,
     "    dead.add({which->record, which->owner_id, lease, which->unfenced}, now, now);\n"
     "    which->unfenced = false;\n"
     "    assign_id(*which);",
     "    which->unfenced = false;"),
    ("nobody releases what was given up", TABLE,
     "if (may_hold || which->unfenced) dead.add(",
     "if (false) dead.add("),
    ("nobody sees a release without an answer through", TABLE,
     "now, now); // may throw\n"
     "    which->now_in.store(tenure::phase::ended, std::memory_order_release);                       // pairs",
     "base::never, now);\n"
     "    which->now_in.store(tenure::phase::ended, std::memory_order_release); // pairs"),
    ("the reaper asks once and never again", REAPER,
     "    schedule(number, one, base::later(now, retry_pause));",
     "    entries_.erase(at);"),
    ("no sweeps where the fence is refused", REAPER,
     "if (!one.what.unfenced || now",
     "if (true || now"),
    ("no fence and no sweep", MULTIPLEXER,
     "    fences_due_ = unfenced_.size();",
     "    unfenced_.clear();\n"
     "    fences_due_ = 0;"),
    ("the fence kills the wrong connection", MULTIPLEXER,
     "std::to_string(former.client_id)",
     "std::to_string(former.client_id + 1'000)"),
    ("a refused fence counts as done", MULTIPLEXER,
     "if (!answer.is_integer()) fence_refused_ = true;",
     ""),
    ("an abandoned call counts as never run", MULTIPLEXER,
     "    return true; // what is staged",
     "    return false; // what is staged"),
    ("calls of a broken connection are not repeated", MULTIPLEXER,
     "        keep(which); // in their order, and before all that is submitted from now on\n",
     ""),
    ("a late answer that says acquired is ignored", ACQUISITION,
     "last.fresh_id = undo();",
     "undo();\n"
     "    last.fresh_id = false;"),
    ("a re-entry that failed counts", OP,
     "case count_answer::not_held: return finish(outcome::lost);",
     "case count_answer::not_held: break;"),
]
