# shellcheck shell=bash
# The steps of ./dev test: each is timed and counted, and some run beside others. Sourced by dev.

results=$build_root/results
passed=0 failed=0 skipped=0 failures=() reports=() step_seconds=()

processor_time() { # sets `processor`: the seconds of all processors that children of this shell have taken which have ended
    local file=$results/times-$BASHPID both each
    mkdir -p "$results"
    times >"$file"
    { read -r _ && read -ra both; } <"$file"
    rm "$file"
    processor=0
    for each in "${both[@]}"; do # 12m34.567s
        each=${each%[.,]*}
        processor=$((processor + 60 * ${each%m*} + ${each#*m}))
    done
}

told_seconds() { # SECONDS PROCESSOR TITLE: now, and again at the end
    printf '(%d s, %d s of a processor)\n' "$1" "$2"
    step_seconds+=("$(printf '%6d s %6d s  %s' "$1" "$2" "$3")")
}

ended() { # TITLE STATUS SECONDS PROCESSOR: a step that counts as one test
    told_seconds "$3" "$4" "$1"
    if [[ $2 -eq 0 ]]; then
        passed=$((passed + 1))
    else
        printf 'FAILED: %s\n' "$1"
        failures+=("$1")
        failed=$((failed + 1))
    fi
    return "$2"
}

check() { # TITLE CMD…
    local title=$1 began=$SECONDS status=0 processor before
    shift
    printf '\n== %s\n' "$title"
    processor_time
    before=$processor
    "$@" || status=$?
    processor_time
    ended "$title" "$status" $((SECONDS - began)) $((processor - before))
}

# ---- beside others ---------------------------------------------------------------------------------------------------

# What only computes runs beside the tests that mostly wait, on the processor time that these leave.
beside_pids=() beside_files=() beside_titles=()

out_of_the_way() { # for the processes that this one starts from now on
    renice -n 19 -p "$BASHPID" >/dev/null 2>&1 || true
    chrt --idle --pid 0 "$BASHPID" >/dev/null 2>&1 || true
}

beside() { # TITLE CMD…: like check, but it goes on by itself; its output is shown when it has ended
    local title=$1 file=$results/beside-${#beside_pids[@]}
    shift
    mkdir -p "$results"
    rm -f "$file.end"
    set -m # a process group of its own, so that it can be ended as a whole
    (
        set +m
        out_of_the_way
        began=$SECONDS status=0
        "$@" || status=$?
        processor_time
        printf '%d %d %d\n' "$status" $((SECONDS - began)) "$processor" >"$file.end"
    ) >"$file.log" 2>&1 &
    set +m
    beside_pids+=("$!") beside_files+=("$file") beside_titles+=("$title")
}

end_besides() { # when dev itself ends early
    local pid
    for pid in ${beside_pids[@]+"${beside_pids[@]}"}; do kill -TERM -- "-$pid" 2>/dev/null || true; done
}
trap end_besides EXIT

wait_for_besides() { # shows and counts each
    local at file status seconds processor
    for at in "${!beside_pids[@]}"; do
        wait "${beside_pids[at]}" 2>/dev/null || true
        file=${beside_files[at]} status=1 seconds=0 processor=0
        printf '\n== %s\n' "${beside_titles[at]}"
        cat "$file.log"
        [[ ! -s $file.end ]] || read -r status seconds processor <"$file.end"
        ended "${beside_titles[at]} (beside others)" "$status" "$seconds" "$processor" || true
    done
    beside_pids=() beside_files=() beside_titles=()
}

# ---- ctest -----------------------------------------------------------------------------------------------------------

count() { # ATTRIBUTE FILE → its number in a JUnit header
    grep -o -m1 "[[:space:]]$1=\"[0-9]*\"" "$2" | head -n1 | tr -dc '0-9'
}

failed_tests() { # PRESET REPORT → a line for each
    [[ ! -s $2 ]] || sed -nE "s/.*<testcase name=\"([^\"]*)\".* status=\"fail\".*/$1: \1/p" "$2"
}

# run_ctest PRESET PART CTEST-ARGS…: sets `ran` to the number of its tests; none at all is no failure.
run_ctest() {
    local preset=$1 part=$2 report=$results/$1-$2.xml status=0 began=$SECONDS processor before
    shift 2
    processor_time
    before=$processor
    ran=0
    mkdir -p "$results"
    rm -f "$report"
    printf '\n== tests: %s, %s\n' "$preset" "$part"
    # Thousands of lines of success hide the one of failure: what passed, and what was skipped, is in the report.
    (cd "$root" && settled "$preset" ctest --preset "$preset" --no-tests=ignore --output-junit "$report" "$@") |
        sed -uE '/^ +Start +[0-9]+: /d; /^ *[0-9]+\/[0-9]+ Test +#.*(Passed|\*\*\*Skipped) +[0-9.]+ sec$/d
            /^The following tests did not run:$/d; /^\t *[0-9]+ - .*\(Skipped\)$/d' || status=$?
    processor_time
    told_seconds $((SECONDS - began)) $((processor - before)) "tests: $preset, $part"
    mapfile -t -O "${#failures[@]}" failures < <(failed_tests "$preset" "$report")
    local total=0 broken=0 left_out=0
    if [[ -s $report ]]; then
        reports+=("$report")
        total=$(count tests "$report") broken=$(count failures "$report")
        left_out=$(($(count skipped "$report") + $(count disabled "$report")))
    fi
    ran=$total
    if [[ $status -ne 0 && $broken -eq 0 ]]; then
        say "ctest ran $total tests and ended with status $status (preset $preset, $part)"
        failures+=("$preset: ctest, $part")
        broken=1 total=$((total + 1))
    fi
    passed=$((passed + total - broken - left_out)) failed=$((failed + broken)) skipped=$((skipped + left_out))
}

# ---- the end ---------------------------------------------------------------------------------------------------------

slowest() { # REPORT… → the ten slowest tests of all these
    local report name
    for report in "$@"; do
        name=$(basename "$report" .xml)
        sed -nE 's/.*<testcase name="([^"]*)".* time="([0-9.]+)".*/\2 \1/p' "$report" |
            sed "s/  # GetParam.*//; s|\$| ($name)|"
    done | sort -rn | sed -n '1,10p' | while read -r seconds test; do printf '%8.1f s  %s\n' "$seconds" "$test"; done
}

as_printed() { # the text of a JUnit report, on its input → what the test has printed
    sed 's|</system-out>$||; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g'
}

# Whoever sees only the end of a log learns why: of the first ten, what they printed at their end.
outputs_of_failures() { # REPORT…
    awk -v most=60 '
        /<testcase .* status="fail"/ { name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name); lines = 0 }
        /<\/testcase>/ && name != "" {
            if (++shown <= 10) printf "\n%s\n", name
            for (at = lines > most ? lines - most : 0; at < lines && shown <= 10; ++at) printf "    %s\n", said[at]
            name = ""
        }
        name != "" && !/<testcase |<failure |^<\/system-out>$|^$/ { sub(/^\t*<system-out>/, ""); said[lines++] = $0 }
        ' "$@" | as_printed
}

# A test of ctest may be a whole program: which of its tests have failed, and what the first of them said.
failures_within() { # REPORT…
    awk -v most=12 '
        function tell(text) { if (told++ < most) printf "    %s\n", text }
        /<testcase .* status="fail"/ {
            name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name)
            told = 0; follows = 0; blocks = 0; split("", seen); print "  " name
        }
        /<\/testcase>/ { name = "" }
        name == "" { next }
        /^\[  FAILED  \] [^ ,]+\.[^ ,]+/ {
            inner = $0; sub(/^\[  FAILED  \] /, "", inner); sub(/[ ,].*/, "", inner)
            if (inner != name && !(inner in seen)) { seen[inner]; tell(inner) }
        }
        /^\[/ { follows = 0 }
        /: Failure$/ && blocks++ < 2 { follows = 5 }
        follows-- > 0 || /SUMMARY: / { tell($0) }
        ' "$@" | as_printed
}

summary() {
    if [[ ${#step_seconds[@]} -gt 1 ]]; then
        local processor
        processor_time
        printf '\nSteps: seconds, and seconds of a processor\n'
        printf '%s\n' "${step_seconds[@]}" "$(printf '%6d s %6d s  all' "$SECONDS" "$processor")"
    fi
    if [[ ${#reports[@]} -gt 0 ]]; then printf '\nThe slowest tests:\n' && slowest "${reports[@]}"; fi
    if [[ ${#failures[@]} -gt 0 ]]; then
        if [[ ${#reports[@]} -gt 0 ]]; then
            outputs_of_failures "${reports[@]}"
            printf '\nIn short:\n' && failures_within "${reports[@]}"
        fi
        printf '\nFailed:\n' && printf '  %s\n' "${failures[@]}"
    fi
    printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [[ $failed -eq 0 ]]
}
