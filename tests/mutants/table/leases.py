"""Validity, renewal and loss."""
from table.files import ACQUISITION, BATCHES, CORE, KEEPER, LOSSES, OP, TABLE

MUTANTS = [
    ("validity is counted from the answer", ACQUISITION,
     "taken_at_ = answered.sent_at;",
     "taken_at_ = now_;"),
    ("validity has no margin and outlives the lease", KEEPER,
     "lease - validity_margin(lease, settings_.margin)",
     "lease + lease / 2"),
    ("the answer to a renewal counts after the end of the hold", KEEPER,
     "if (!is_kept(*one) || !tenure_timers::has(*one)) continue; // released or lost meanwhile",
     ""),
    ("a stale acquisition counts as held", OP,
     "if (still_valid(sent_at, now)) return finish(outcome::acquired);",
     "return finish(outcome::acquired);"),
    ("no hold is listened for", KEEPER,
     "if (tenure.watched || settings_.watch_from.count() == 0) return base::never;",
     "if (!tenure.watched || settings_.watch_from.count() == 0) return base::never;"),
    ("the message about a hold is not looked into", "src/io/hold_watch.cpp",
     "insist([this] { listener_(lock_); });",
     ""),
    ("nothing is ever renewed", KEEPER,
     "tenure->next_renewal = base::later(sent_at, settings_.watchdog / 3);",
     "tenure->next_renewal = base::later(sent_at, settings_.watchdog * 3);"),
    ("renewal goes on after the release", TABLE,
     "    keeper.forget(tenure);\n"
     "    watch_ended_ =",
     "    watch_ended_ ="),
    ("an answer to a renewal is not counted", KEEPER,
     "if (lease > ownership_probe) {",
     "if (false) {"),
    ("the server's word that a lock is lost is not heard", KEEPER,
     "            forget(one);\n"
     "            out.lost.push_back(one);\n"
     "            continue;\n"
     "        }\n"
     "        if (lease",
     "        }\n"
     "        if (lease"),
    ("max_hold is renewed", KEEPER,
     "std::min(std::max(promised, tenure->validity()), tenure->max_hold_until())",
     "std::max(promised, tenure->validity())"),
    ("a loss is told to nobody", LOSSES,
     "    note(notice::kind::lost, tenure); // first what may throw\n",
     ""),
    ("a failed renewal is never tried again", KEEPER,
     "    tenure->renewal_in_flight = false;\n"
     "    if (!is_kept(*tenure) || !tenure_timers::has(*tenure)) return;\n"
     "    if (tenure->renewed()",
     "    if (tenure->renewed()"),
    ("a batch that is refused is tried again whole", KEEPER,
     "first(still.size() / 2)",
     "first(0)"),
    ("who was refused alone is asked with others again", BATCHES,
     "    if (tenure->refused_alone) {\n",
     "    if (tenure->refused_alone && open_.empty()) {\n"),
    ("a new connection verifies nothing", CORE,
     "        table.keeper.verify_all(now, found);\n",
     ""),
]
