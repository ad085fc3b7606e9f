# shellcheck shell=bash
# The names of packages in this release of Debian. Sourced by dev.

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
