#!/usr/bin/env bash
# What ./dev installs on releases of Debian that have different names. apt-cache and dpkg-query are made up.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/bin"
cat >"$place/bin/apt-cache" <<'SH'
#!/usr/bin/env bash
shift
for name in "$@"; do # a name without a candidate is known too, where others only mention it
    if [[ $name && " $OFFERED " == *" $name "* ]]; then printf '%s:\n  Installed: (none)\n  Candidate: 1\n' "$name"; fi
    if [[ $name == clang-14 && $OFFERED != *clang-14* ]]; then printf '%s:\n  Candidate: (none)\n' "$name"; fi
done
SH
cat >"$place/bin/dpkg-query" <<'SH'
#!/usr/bin/env bash
for name in $INSTALLED; do printf 'ii %s ' "$name"; done
SH
chmod +x "$place/bin/"*
export PATH=$place/bin:$PATH

dev=$TREE/dev
eval "$(sed -n '/^run_packages=/,/maven)$/p; /^missing_packages()/,/^}/p' "$dev")"
# shellcheck source=../run/packages.sh
source "$TREE/tests/run/packages.sh"
apt_knows_packages() { true; }

status=0
expect() { # RELEASE OFFERED INSTALLED WANTED…
    local release=$1 name names
    export OFFERED=$2 INSTALLED=$3
    shift 3
    # shellcheck disable=SC2154 # by eval
    names=" $(names_here "${test_packages[@]}" | tr '\n' ' ')"
    for name in "$@"; do
        case $name in
            -*) [[ $names != *" ${name#-} "* ]] || { echo "$release: ${name#-} is among $names" && status=1; } ;;
            *) [[ $names == *" $name "* ]] || { echo "$release: $name is not among $names" && status=1; } ;;
        esac
    done
}

expect "Debian 12" "clang-14 clang libclang-rt-14-dev clang-format-14 clang-tidy-14 libboost1.81-dev libboost-dev
    openjdk-17-jdk-headless default-jdk-headless" "" \
    clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 libboost1.81-dev openjdk-17-jdk-headless g++ maven
expect "Debian 13" " clang-19 clang libclang-rt-19-dev libboost1.83-dev libboost-dev openjdk-21-jdk-headless " "" \
    clang-19 libclang-rt-19-dev libboost1.83-dev openjdk-21-jdk-headless g++ maven \
    -clang-14 -clang-format-14 -clang-tidy-14 -libboost1.81-dev -openjdk-17-jdk-headless
expect "a later release" " clang libclang-rt-dev libboost-dev default-jdk-headless " "" \
    clang libclang-rt-dev libboost-dev default-jdk-headless
# Where all is installed apt is not asked.
expect "Debian 12, offline" "" "clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 libboost1.81-dev
    openjdk-17-jdk-headless" clang-14 clang-format-14 libboost1.81-dev openjdk-17-jdk-headless
expect "apt knows nothing" "" "" clang-14 libboost1.81-dev
exit $status
