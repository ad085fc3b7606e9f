# shellcheck shell=bash
# What ./dev test runs. Sourced by dev, after steps.sh and servers.sh.

# What each preset builds and runs is in CMakePresets.json; here is what differs in CI.
build_all() { # PRESET [-DNAME=VALUE…] [TARGET…]: with what the tests need
    local preset=$1
    shift
    if [[ $preset == release ]]; then
        # ./dev run may have configured it without.
        set -- -DREDLATCH_TESTS=ON -DREDLATCH_BENCH=ON -DREDLATCH_TEST_PRODUCT=OFF "$@"
    fi
    # From nothing, tests that are compiled together take half of the time; at work one changes a file at a time.
    if [[ ${CI-} ]]; then set -- -DREDLATCH_TEST_UNITY=ON -DREDLATCH_TEST_JOINED=ON "$@"; fi
    build "$preset" "$@"
}

# Tests that mostly wait - for leases, deadlines, other processes - run 14 at a time; all others two at a time. Those that
# measure, and those that fill the machine, say how much of it they need (PROCESSORS in their CMakeLists.txt).
waiting_labels='^(integration|integration_variant|cli|asio|chaos|interop)$'
waiting_jobs=14
variants_elsewhere= # yes: those of integration tests run on another server than the tests themselves

run_all_of() { # PRESET [CTEST-ARGS…]: what computes, and then what waits
    local preset=$1 some on_another_server=()
    shift
    if [[ " $* " == *' -LE '* ]]; then # ctest leaves out what all of several -LE match
        run_ctest "$preset" chosen "$@"
        some=$ran
    else
        run_ctest "$preset" computing -LE "$waiting_labels" "$@"
        some=$ran
        # test_variants_on() runs them.
        if [[ $variants_elsewhere ]]; then on_another_server=(-LE '^integration_variant$'); fi
        run_ctest "$preset" waiting -L "$waiting_labels" "${on_another_server[@]}" -j "$waiting_jobs" "$@"
        some=$((some + ran))
    fi
    [[ $some -gt 0 ]] || ended "there is a test to run (preset $preset)" 1 0 0 || true
}

test_preset() { # PRESET [CTEST-ARGS…]
    local preset=$1
    shift
    if check "build: $preset" build_all "$preset"; then run_all_of "$preset" "$@"; fi
}

# Those of the integration tests that ask the server for much. The others are about the client, or choose a server themselves.
# Tests of TLS are skipped on a server that was built without.
test_on() { # PROGRAM PART
    local others='^(asynchronous_)?(scripts_no_hand_off|asynchronous)\.|(deadline|embedded_server|hostile_server|lie|many)_test'
    REDLATCH_TEST_SERVER=$1 run_ctest release "$2" -L '^integration$' -E "$others" -j "$waiting_jobs"
}

# The same ones with scripts only and through the asynchronous face: servers, faces and command sets meet in pairs, and each
# night as a product (tests/support/integration_test.cmake).
test_variants_on() { # PROGRAM PART
    REDLATCH_TEST_SERVER=$1 run_ctest release "$2" -L '^integration_variant$' -j "$waiting_jobs"
}

# Those in which servers differ most: how several are arranged, what a user may do, what a service takes away.
test_arrangements_on() { # PROGRAM PART
    local these='^(cluster|moved_slot|sentinel(_[a-z]+)?_test|(cluster|sentinel)_replicas|replicated_test'
    these+='|acl_rule_test|command/a_server_without[a-z_]*)\.'
    REDLATCH_TEST_SERVER=$1 run_ctest release "$2" -L '^integration$' -R "$these" -j "$waiting_jobs"
    [[ $ran -gt 0 ]] || ended "there is a test to run ($2)" 1 0 0 || true
}

# What the same sources always get, and other sources do not: a failure can be repeated, and each change meets new scenarios.
seed_of_sources() {
    local sum
    sum=$(cd "$root" && find lua include src tests/sim -type f \( -name '*.lua' -o -name '*.[ch]pp' \) -print0 \
        | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
    echo $((16#${sum:0:15}))
}

seeds() { # COUNT|any MINUTES SIM-ARGS…: fails where the time is too short for so many
    local count=(--count "$1") minutes=$2
    if [[ $1 == any ]]; then count=(); fi
    shift 2
    build release -DREDLATCH_TESTS=ON redlatch_sim || return 1
    "$build_root/release/tests/sim/redlatch_sim" "$@" "${count[@]}" --minutes "$minutes"
}

test_everything() { # a failure in one step does not hide those of the others
    beside "static analysis" check_analysis all
    beside "format" check_format
    beside "shell scripts" check_shell
    variants_elsewhere=$valkey_server
    test_preset release
    variants_elsewhere=
    # On what the others leave of two processors 40,000 seeds may take most of the time of all.
    beside "simulator, seeds of these sources" seeds 40000 75 --first "$(seed_of_sources)"
    beside "simulator, seeds of a cluster" seeds 2000 75 --topology cluster --first "$(seed_of_sources)"
    beside "simulator, seeds of replicas" seeds 2000 75 --topology replicas --first "$(seed_of_sources)"
    beside "simulator, seeds behind Sentinels" seeds 2000 75 --topology sentinel --first "$(seed_of_sources)"
    beside "memcheck: the core" memcheck "${core_tests[@]}"
    beside "build: fuzz, ahead" build fuzz
    if [[ $valkey_server ]]; then
        test_variants_on "$valkey_server" 'waiting, variants on Valkey'
        test_arrangements_on "$valkey_server" 'waiting, arrangements and rights on Valkey'
    fi
    beside "build: tsan, ahead" build_all tsan # its tests find it done
    test_preset asan-ubsan
    wait_for_besides
    beside "fuzzing, a moment" fuzz 10
    test_preset tsan
    wait_for_besides
}

fresh_seeds_of_kinds() { # TOPOLOGY: a minute for each kind that the simulator says it plays there
    local kind kinds
    mapfile -t kinds < <("$build_root/release/tests/sim/redlatch_sim" --kinds --topology "$1")
    [[ ${#kinds[@]} -gt 0 ]] || ended "the simulator plays a kind of lock ($1)" 1 0 0 || true
    for kind in ${kinds[@]+"${kinds[@]}"}; do
        check "simulator, fresh seeds, $1: $kind" seeds any 1 --fresh --topology "$1" --kind "$kind" || true
    done
}

# In ten nights all of them.
mutants_of_the_day() {
    local day
    day=$(($(date +%s) / 86400))
    "$root/dev" mutants --part $((day % 10 + 1))/10
}

# What takes too long for each change.
test_nightly() {
    check "build: release" build_all release -DREDLATCH_TEST_PRODUCT=ON || return 0
    run_ctest release 'variants' -L '^integration_variant$' -j "$waiting_jobs"
    run_ctest release 'nightly, computing' -C nightly -L '^nightly$' -LE "$waiting_labels"
    run_ctest release 'nightly, waiting' -C nightly -L '^nightly$' -L "$waiting_labels" -j "$waiting_jobs"
    test_servers
    if [[ $valkey_server ]]; then
        REDLATCH_TEST_SERVER=$valkey_server run_ctest release 'interop on Valkey' -L '^interop$'
    fi
    check "faults, all of them" "$build_root/release/tests/chaos/redlatch_chaos" --redisson || true
    if check "build: tsan" build_all tsan tests/threads/all; then
        REDLATCH_STRESS_SECONDS=150 run_ctest tsan 'a long stress' -R '^mixed_stress'
    fi
    check "soak" "$build_root/release/tests/soak/redlatch_soak" --minutes 10 || true
    check "simulator, fresh seeds" seeds any 15 --fresh || true
    check "simulator, fresh seeds of a cluster" seeds any 6 --fresh --topology cluster || true
    check "simulator, fresh seeds of replicas" seeds any 3 --fresh --topology replicas || true
    check "simulator, fresh seeds behind Sentinels" seeds any 3 --fresh --topology sentinel || true
    local topology
    for topology in single cluster replicas sentinel; do fresh_seeds_of_kinds "$topology"; done
    check "memcheck" memcheck "${core_tests[@]}" "${live_tests[@]}" || true
    check "fuzzing" fuzz 300 || true
    check "mutants, a tenth of the table" mutants_of_the_day || true
    # What the second compiler warns of in the library, the tool and the benchmarks static analysis finds for each change.
    if check "build: clang, each file by itself" build_all clang -DREDLATCH_TEST_UNITY=OFF; then run_all_of clang; fi
    if check "build: asan-ubsan, with its tests" build_all asan-ubsan -DREDLATCH_SANITIZE_TESTS=ON; then
        run_ctest asan-ubsan 'with its tests' -L '^(unit|asio|sim)$'
    fi
    need debootstrap
    local suite
    for suite in bookworm trixie; do
        check "a bare machine: $suite" as_root "$root/tools/bare_machine" "$suite" || true
    done
}

test_command() {
    need "${test_packages[@]}"
    # Tests must not find the terminal or a CI's closed stdin.
    exec </dev/null
    other_servers
    REDLATCH_SIM_FIRST=$(seed_of_sources) # of the kinds' own tests, too
    export REDLATCH_SIM_FIRST
    case ${1-} in
        '') test_everything ;;
        quick) test_preset release ;;
        nightly) test_nightly ;;
        servers) test_servers ;;
        *) test_preset "$@" ;;
    esac
    summary
}
