"""Servers that Sentinels watch: which one is the master, and what happens when it is another one."""
from table.files import CONNECT_OP, LANE_CONNECTING, MASTER_RECORD, NODE, SENTINEL_WATCH, SENTINEL_WATCHER

# What the simulator is asked for.
WORDS = ("--topology", "sentinel")

MUTANTS = [
    ("a Sentinel that has not heard of a failover is believed", MASTER_RECORD,
     "return !is_numbered(said) || *said.epoch >= *known_->epoch;",
     "return true;"),
    ("news of an earlier failover counts", MASTER_RECORD,
     "bool const newer = is_numbered(said) ? *said.epoch > *known_->epoch : before != said.master;",
     "bool const newer = before != said.master;"),
    ("a master that is not there is still the master", MASTER_RECORD,
     "        if (doubted_ || !is_numbered(said) || said.epoch != known_->epoch) accept(said);\n",
     "        if (!known_) accept(said);\n"),
    ("news moves no connection", SENTINEL_WATCHER,
     "    tell_(now.master, \"is not the master '\"",
     "    if (closed_) tell_(now.master, \"is not the master '\""),
    ("connections stay with the old master", LANE_CONNECTING,
     "        if (link_ == link::up && elsewhere) {\n",
     "        if (false) {\n"),
    ("messages are still heard from the old master", NODE,
     "        messages_.line().move_to(there, reason, news);\n",
     ""),
    ("renewals still go to the old master", NODE,
     "        control_.line().move_to(there, reason, news);\n",
     ""),
    ("calls still go to the old master", NODE,
     "        data_.line().move_to(there, reason, news);\n",
     ""),
    ("replicas are still asked about on the old master", NODE,
     "        replicas_.move_to(there, reason, news);\n",
     ""),
    ("a replica is taken for the master", CONNECT_OP,
     "    if (role == server_role::replica) return refuse_replica(master_of(reply));\n",
     ""),
    ("news that comes while a Sentinel is asked is lost", SENTINEL_WATCH,
     "    if (std::exchange(ask_again_, false)) ask();\n",
     ""),
    ("nobody listens for failovers", SENTINEL_WATCH,
     "    resp::append_command(bytes, {\"SUBSCRIBE\", switch_channel});\n",
     "    resp::append_command(bytes, {\"SUBSCRIBE\", \"nothing\"});\n"),
]
