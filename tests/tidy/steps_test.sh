#!/usr/bin/env bash
# steps_test.sh TREE: what ./dev test says at its end, and its exit status, for results as large as those of a whole run.
set -euo pipefail
root=$1
build_root=$(mktemp -d)
trap 'rm -rf "$build_root"' EXIT

# shellcheck source=../run/steps.sh
source "$root/tests/run/steps.sh"
trap 'rm -rf "$build_root"' EXIT # it has one of its own

report=$build_root/release-computing.xml
for number in $(seq 20000); do
    printf '<testcase name="suite.test_%d" classname="x" time="%d.5" status="run">\n' "$number" "$number"
done >"$report"

expect() { # WHAT TEXT PATTERN
    [[ $2 == *$3* ]] || { printf '%s: "%s" is not in:\n%s\n' "$1" "$3" "$2" && exit 1; }
}

end_of_run() { # sets text and status; what fails within it ends it, as it ends dev: so not behind || or in an if
    set +e
    text=$(set -e && summary)
    status=$?
    set -e
}

passed=20000 reports=("$report")
end_of_run
[[ $status -eq 0 ]] || { echo "ended with $status although nothing failed" && exit 1; }
expect "all passed" "$text" "20000.5 s  suite.test_20000 (release-computing)"
expect "all passed" "$text" "20000 passed, 0 failed, 0 skipped"
[[ $(grep -c suite.test_ <<<"$text") -eq 10 ]] || { echo "not the ten slowest" && exit 1; }

{
    printf '\t<testcase name="suite.fails" classname="suite" time="1" status="fail">\n\t\t<failure message=""/>\n'
    printf '\t\t<system-out>too early to be shown\n'
    seq 70
    printf 'Which is: &quot;a &amp; b&quot; &lt; 3\n</system-out>\n\t</testcase>\n'
    printf '\t<testcase name="program" classname="program" time="1" status="fail">\n\t\t<failure message=""/>\n'
    printf '\t\t<system-out>Running main()\n[ RUN      ] inner.breaks\n/tests/inner_test.cpp:7: Failure\n'
    printf 'Value of: left &lt; right\n[  FAILED  ] inner.breaks (3 ms)\n'
    seq -f '[       OK ] inner.works_%g (1 ms)' 70
    printf '[  FAILED  ] 1 test, listed below:\n[  FAILED  ] inner.breaks\n</system-out>\n\t</testcase>\n'
    printf '\t<testcase name="suite.passes" classname="suite" time="1" status="run">\n'
    printf '\t\t<system-out>all is well</system-out>\n\t</testcase>\n'
} >>"$report"
failed=1 failures=("release: suite.test_1")
end_of_run
expect "one failed" "$text" $'\nsuite.fails\n'
expect "one failed" "$text" 'Which is: "a & b" < 3'
expect "a program failed" "$text" \
    $'  program\n    /tests/inner_test.cpp:7: Failure\n    Value of: left < right\n    inner.breaks\n\n'
[[ $text != *"too early"* && $text != *"all is well"* ]] || { echo "shown, and should not be" && exit 1; }
[[ $status -eq 1 ]] || { echo "ended with $status when one had failed" && exit 1; }
expect "one failed" "$text" "  release: suite.test_1"
