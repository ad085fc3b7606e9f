# shellcheck shell=bash
# The packages of Debian that dev needs, by their names in this release, and how they are installed. Sourced by dev.

# Releases of Debian differ in names: a|b is the first one that this release has, and nothing stands for doing without. What
# formats and analyses must be version 14: others judge otherwise.
run_packages=(cmake ninja-build g++ libc6-dev libhiredis-dev libyaml-cpp-dev libssl-dev libcli11-dev nlohmann-json3-dev)
lint_packages=('clang-14|clang-19|clang' 'libclang-rt-14-dev|libclang-rt-19-dev|libclang-rt-dev'
    'clang-format-14|' 'clang-tidy-14|' python3 python3-pip git)
test_packages=("${run_packages[@]}" "${lint_packages[@]}" libgtest-dev libgmock-dev libbenchmark-dev
    'libboost1.81-dev|libboost1.83-dev|libboost-dev' liblua5.1-0-dev ccache make
    openssl pkg-config procps valgrind shellcheck faketime nftables postgresql libpq-dev
    'openjdk-17-jdk-headless|openjdk-21-jdk-headless|default-jdk-headless' maven)

# ---- names ------------------------------------------------------------------------------------------------------------

offered() { # PACKAGE… → those that apt can install, or has
    apt-cache policy "$@" 2>/dev/null | awk '/^[^ ]/ { name = substr($1, 1, length($1) - 1) }
        $1 == "Candidate:" && $2 != "(none)" { print name }'
}

apt_knows_packages() { compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; }

# first_of "PACKAGE|PACKAGE…" "OFFERED…": nothing, where an empty name stands before all that are offered.
first_of() {
    local names=() name
    IFS='|' read -ra names <<<"$1"
    for name in "${names[@]}"; do
        if [[ " $2 " == *" $name "* ]]; then
            printf '%s\n' "$name"
            return
        fi
    done
    [[ $1 == *'|' ]] || printf '%s\n' "${names[0]}" # apt will say that there is none
}

names_here() { # PACKAGE|PACKAGE… … → the name of each here. Asks apt only where a first name is not installed.
    local word alternatives=() first=() there=''
    for word in "$@"; do
        if [[ $word == *'|'* ]]; then alternatives+=("$word") first+=("${word%%|*}"); fi
    done
    if [[ ${#first[@]} -gt 0 && $(missing_packages "${first[@]}") ]]; then
        if ! apt_knows_packages && may_install; then
            say "asking apt what this release has"
            as_root apt-get -o DPkg::Lock::Timeout=600 -y update >/dev/null 2>&1 </dev/null || true
        fi
        local all
        mapfile -t -d '|' all < <(IFS='|' && printf '%s' "${alternatives[*]}")
        there=$(offered "${all[@]}" | tr '\n' ' ')
    else
        there=${first[*]-}
    fi
    for word in "$@"; do
        if [[ $word == *'|'* ]]; then first_of "$word" "$there"; else printf '%s\n' "$word"; fi
    done
}

# ---- installing -------------------------------------------------------------------------------------------------------

missing_packages() { # PACKAGE… → those that are not installed
    local installed
    installed=" $(dpkg-query -W -f='${db:Status-Abbrev}${Package} ' "$@" 2>/dev/null || true)"
    local package
    for package in "$@"; do
        [[ $installed == *" ii $package "* || $installed == *" hi $package "* ]] || printf '%s\n' "$package"
    done
}

as_root() {
    if [[ $EUID -eq 0 ]]; then "$@"; else sudo -- "$@"; fi
}

# Packages may start services when they are installed, redis-server on port 6379, postgresql on 5432. We want the programs only.
# shellcheck disable=SC2016 # the inner shell expands
apt_install() { # PACKAGE…
    as_root env DEBIAN_FRONTEND=noninteractive bash -c '
        policy=/usr/sbin/policy-rc.d
        if [[ ! -e $policy ]]; then
            trap "rm -f $policy" EXIT
            printf "#!/bin/sh\nexit 101\n" >$policy
            chmod +x $policy
        fi
        update() { apt-get -o DPkg::Lock::Timeout=600 -y update; }
        install() { apt-get -o DPkg::Lock::Timeout=600 -y --no-install-recommends install "$@"; }
        compgen -G "/var/lib/apt/lists/*_Packages*" >/dev/null || update
        install "$@" || { update && install "$@"; } || exit
        for package in "$@"; do # not at the next boot either, where we brought it
            [[ -d /run/systemd/system ]] || break
            case $package in redis-server | postgresql) systemctl disable "$package" ;; esac
        done' apt_install "$@"
}

may_install() { [[ $EUID -eq 0 ]] || { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 2 ]]; }; }; }

need() { # PACKAGE…
    command -v dpkg-query >/dev/null || return 0 # not a Debian: configure will say what is missing
    local wanted missing
    mapfile -t wanted < <(names_here "$@")
    command -v redis-server >/dev/null || command -v valkey-server >/dev/null || wanted+=(redis-server)
    mapfile -t missing < <(missing_packages "${wanted[@]}")
    [[ ${#missing[@]} -gt 0 ]] || return 0

    if ! may_install; then
        fail "these packages are missing and only root can install them: ${missing[*]}." \
            "Run as root: apt-get install ${missing[*]}"
    fi
    say "installing ${missing[*]} (once)"
    mkdir -p "$logs"
    apt_install "${missing[@]}" </dev/null >"$logs/apt.log" 2>&1 || {
        tail -n 20 "$logs/apt.log" >&2
        fail "apt-get could not install the packages; the whole log is $logs/apt.log"
    }
}
