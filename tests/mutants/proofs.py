"""What is run against a mutant, from cheap to expensive; the first proof that fails has found it."""
import dataclasses
import fnmatch
import re

# What each folder's own unit tests are; they come first, then all the others.
UNIT_OF = {"src/base": "base", "src/resp": "resp", "src/connection": "connection", "src/locking": "locking", "src/io": "io",
           "src/api": "api", "src/embedded": "embedded"}
ALL_UNITS = ["base", "resp", "connection", "locking", "io", "api", "embedded"]
# The simulator begins with a client's settings: nothing of these runs in it.
NOT_IN_THE_SIMULATOR = ["cli/*", "src/embedded/*", "src/api/config*", "src/api/*yaml*", "src/api/java_duration*",
                        "src/api/redisson_keys*", "src/api/environment_text*", "src/api/listing*", "src/api/event_source*",
                        "src/io/server_uri*", "src/io/uri_text*", "src/io/log*", "src/io/reactor*", "src/io/parker*",
                        "src/io/notifier*", "src/io/random_seed*", "src/io/lease_clock*", "src/io/fork_guard*",
                        "src/io/open_descriptors*"]


@dataclasses.dataclass(frozen=True)
class Proof:
    name: str
    targets: tuple  # of ninja
    command: tuple  # a leading word with a slash is a program of the build
    of: str = "src/*"  # whose files it may judge
    seconds: int = 60  # on the sound tree of an idle machine it takes a tenth of that, or less
    but: str = ""  # tests of a suite that are not run

    @property
    def is_suite(self):
        """It has processes and servers and mostly waits; the others only compute."""
        return self.command[0] == "ctest"

    def judges(self, path):
        if self.name.startswith("sim") and any(fnmatch.fnmatch(path, out) for out in NOT_IN_THE_SIMULATOR):
            return False
        return any(fnmatch.fnmatch(path, one) for one in self.of.split())


def unit(folder):
    """Judges the folders that its tests stand on: what is above them is not even called."""
    below = list(UNIT_OF)[:list(UNIT_OF.values()).index(folder) + 1]
    if folder == "api":
        below = ["src/api", "src/io"]
    waits = folder in ("io", "api")
    return Proof(f"unit_{folder}", (f"unit_{folder}",), (f"tests/unit/unit_{folder}", "--gtest_brief=1"),
                 " ".join(f"{one}/*" for one in below), 30 if waits else 10)


def suite(label, targets, jobs, seconds, of="src/*", only="", but="", name=""):
    """One label of ctest. A test has to fail again and again: what fails once under load is no verdict."""
    words = ["ctest", "-L", f"^{label}$", "-j", str(jobs), "--stop-on-failure", "--repeat", "until-pass:2", "--timeout", "30"]
    words += ["-R", only] if only else []
    return Proof(name or label, tuple(targets), tuple(words), of, seconds, but)


VARIANTS = r"^(scripts_no_hand_off|asynchronous)\."
CROWDS = r"^([a-z]+/)?(hand_off_test|many_test|deadline_test)\."  # they fill the machine or measure it, one at a time
WITH_A_SERVER = "*acl_*:*doctor_rights*"  # of the tool's parts: the label cli has them
SIMULATOR = "tests/sim/redlatch_sim"
# Seeds of several servers are for what reaches them, or asks them.
TOPOLOGIES = {"cluster": "src/io/cluster* src/io/node* src/connection/cluster* src/connection/redirect*",
              "replicas": "src/*replica* src/io/confirmed*",
              "sentinel": "src/*sentinel* src/io/*locator* src/connection/master* src/io/role*"}
INTEGRATION = ("tests/integration/all", "tests/behaviour/all", "tests/support/all")
EMBEDDED = ("integration_embedded_server_test", "integration_embedded_stop_test")
# The tests with servers that are about a file: some seconds instead of minutes. (files, suites of GoogleTest, their programs)
NEAR = [
    ("src/io/tls/* src/io/wire* src/api/yaml_tls*", r"tls_|sentinel_tls", "tls sentinel_tls"),
    ("src/*sentinel* src/io/role* src/io/server_set*", r"sentinel", "sentinel sentinel_tls"),
    ("src/*replicated* src/io/role*", r"replicated", "replicated"),
    ("src/*cluster* src/*redirect* src/io/node* src/io/*locator*", r"cluster|moved_slot",
     "cluster moved_slot replica_failover"),
    ("src/*replica_* src/*confirmed* src/api/yaml_replicas*", r"replica_|without_wait|confirmed",
     "replica_policy replica_wait replica_failover"),
    ("src/*counter* src/*semaphore* src/*permit* src/*latch*", r"semaphore|latch|permit|counter_faults",
     "semaphore permit_semaphore permit_renewal permit_faults count_down_latch counter_faults"),
    ("src/*multi_* src/*joint_* src/*part* src/*group*", r"multi_lock|red_lock|silent_member",
     "multi_lock red_lock faster_multi_lock"),
    ("src/*election*", r"leader_election", "leader_election"),
    ("src/api/*view* src/api/*listing* src/api/*question* src/api/scan* src/io/query* src/io/question_round*",
     r"look_|admin_|inspect|questions?_|endless_scan|label|permit_semaphore|owner_test",
     "look admin inspect_servers async_questions permit_semaphore owner"),
    ("src/api/server_* src/api/rights* src/api/message_trial*", r"inspect|acl_rule|right_test",
     "inspect_servers acl_rule refused_commands"),
    ("src/api/environment* src/api/config* src/api/yaml* src/api/client_opening*",
     r"environment|bad_config|config|credentials|name_prefix|lazy_connecting|fail_fast|async_connect",
     "environment_server bad_input credentials name_prefix lazy_connecting async_connect"),
    ("src/io/login* src/io/password* src/io/lane* src/io/connect* src/io/multiplexer*",
     r"credentials|password|connecti|lazy|fail_fast|handshake|hostile|server_loss|lie_test",
     "credentials lazy_connecting async_connect connection_loss hostile_server server_loss"),
    ("src/api/* src/io/* src/locking/* src/connection/* src/resp/* src/base/*",
     r"^(of/behaviour\..*/reentrant$|kinds/behaviour|lock_test|lifecycle_test|renewal_test|loss_test|waiting_test|async_test|"
     r"hold_watch_test|"
     r"detached_release|refusal_test|plain_commands_test|cut/connection_loss|lost_reply|that/hostile_server|user_loop|"
     r"with/allocation|of/shortage|denial_test|client_kill|server/deadline)",
     "behaviour lock lifecycle renewal loss waiting async hold_watch detached_release refusal plain_commands connection_loss "
     "hostile_server user_loop allocation shortage deadline"),
]


def proofs(seeds, states):
    near = [suite("integration", [f"integration_{one}_test" for one in programs.split()], 16, 300, of=files, only=only,
                  but=VARIANTS, name=f"near: {only[:20]}") for files, only, programs in NEAR]
    return [
        *(unit(folder) for folder in ALL_UNITS),
        Proof("unit_tls", ("unit_tls",), ("tests/unit/unit_tls", "--gtest_brief=1"), "src/io/tls/* src/io/wire*", 10),
        Proof("unit_api", ("unit_api",), ("tests/unit/unit_api", "--gtest_brief=1"), "src/api/*", 10),
        Proof("api", ("api_test",), ("tests/api/api_test", "--gtest_brief=1"), "src/api/*", 10),
        Proof("cli_parts", ("cli_parts_test",), ("tests/cli/cli_parts_test", f"--gtest_filter=-{WITH_A_SERVER}",
                                                 "--gtest_brief=1"), "cli/*", 30),
        Proof("sim: scripts", ("sim_server_test",),
              ("tests/sim/server/sim_server_test", "--gtest_filter=interrupted_expiry.*", "--gtest_brief=1"), "lua/*", 30),
        Proof("sim: kept seeds", ("sim_test",), ("tests/sim/sim_test", "--gtest_filter=*kept_seed*", "--gtest_brief=1")),
        Proof("sim: seeds", ("redlatch_sim",), (SIMULATOR, "--first", "1", "--count", str(seeds), "--no-shrink"), seconds=90),
        Proof("sim: fields", ("redlatch_sim",), (SIMULATOR, "--fields", "--first", "1", "--count", "100", "--no-shrink"),
              seconds=60),
        Proof("sim: orders", ("redlatch_sim",), (SIMULATOR, "--orders", "--states", str(states)), seconds=120),
        *(Proof(f"sim: seeds, {topology}", ("redlatch_sim",), (SIMULATOR, "--topology", topology, "--first", "1", "--count",
                                                         str(seeds // 2), "--no-shrink"), of, 300)
          for topology, of in TOPOLOGIES.items()),
        *near,
        suite("examples", ["examples/all"], 4, 200, of="src/api/* src/embedded/* src/io/*"),
        suite("integration", EMBEDDED, 16, 300, of="src/embedded/* src/api/*", only="^embedded", name="embedded"),
        suite("asio", ["tests/asio/all"], 16, 300),
        suite("integration", INTEGRATION, 16, 900, but=f"{VARIANTS}|{CROWDS}"),
        suite("integration", INTEGRATION, 16, 900, only=CROWDS, name="crowds"),
        suite("threads", ["tests/threads/all"], 2, 300),
        suite("cli", ["tests/cli/all"], 16, 600, of="cli/* src/*"),
        suite("integration", INTEGRATION, 16, 1500, only=VARIANTS, name="variants"),
    ]


def for_file(path, all_proofs):
    """Those that judge this file: the units of its own folder are first, suites are last."""
    own = next((f"unit_{name}" for folder, name in UNIT_OF.items() if path.startswith(folder + "/")), "")
    return sorted((one for one in all_proofs if one.judges(path)), key=lambda one: (one.is_suite, one.name != own))


def what_failed(log):
    """The name of the test, the checker or the words with which it ended."""
    for pattern in (r"^\[  FAILED  \] (\S+?)(?:,| \(|$)",
                    r"^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess|ILLEGAL|Child)",
                    r"^seed \d+ broke a promise, [^:]*", r"^broke a promise, [^:]*", r"it ended in --seed \d+",
                    r"internal error: .*", r"what\(\): .*"):
        if found := re.search(pattern, log, re.M):
            return (found[1] if found.groups() else found[0])[:120]
    return ""
