# bash completion for redlatch                                  -*- shell-script -*-

# The locks that are held now; nothing when no server answers within a second. Completing must not start the private one.
_redlatch_names() {
    local IFS=$'\n' line
    [[ -n ${REDLATCH_SERVER-}${REDLATCH_CONFIG-} ]] || redlatch server status &>/dev/null || return
    while read -r line; do
        [[ $line =~ ^\{\"name\":\"([^\"\\]*)\" ]] && printf '%s\n' "${BASH_REMATCH[1]}"
    done < <(timeout 1 redlatch list --json 2>/dev/null </dev/null)
}

# Names may contain blanks and what a shell obeys: each is quoted.
_redlatch_complete_names() {
    local name
    while IFS= read -r name; do
        [[ $name == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
    done < <(_redlatch_names)
}

# One of the words behind the last comma; what stands before it stays.
_redlatch_complete_list() {
    local before=''
    [[ $cur == *,* ]] && before=${cur%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${cur##*,}")
}

_redlatch() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} words='' position
    COMPREPLY=()

    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W 'run elect hold status list unlock semaphore permits latch ping doctor acl config server version help --help --version' -- "$cur")
        return
    fi

    # Behind -- the command of run and elect is completed as if it stood alone.
    if [[ $command == run || $command == elect ]]; then
        for ((position = 2; position < COMP_CWORD; position++)); do
            [[ ${COMP_WORDS[position]} == -- ]] || continue
            if declare -F _command_offset >/dev/null; then
                _command_offset $((position + 1))
            elif ((COMP_CWORD == position + 1)); then
                mapfile -t COMPREPLY < <(compgen -c -- "$cur")
            else
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            fi
            return
        done
    fi

    case $prev in
    --config | --password-file | --ca-file | --certificate-file | --key-file)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --server)
        mapfile -t COMPREPLY < <(compgen -W 'redis:// rediss:// redis-sentinel:// redis-cluster:// redis-replicated:// unix:// local:' -- "$cur")
        return
        ;;
    --topology)
        mapfile -t COMPREPLY < <(compgen -W 'single sentinel cluster master_slave replicated' -- "$cur")
        return
        ;;
    --sharded)
        mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$cur")
        return
        ;;
    --type)
        mapfile -t COMPREPLY < <(compgen -W 'semaphore latch permits' -- "$cur")
        return
        ;;
    --types)
        _redlatch_complete_list reentrant non_reentrant spin fair non_reentrant_fair fenced election read_write \
            faster_multi semaphore permit_semaphore latch
        return
        ;;
    --accept)
        _redlatch_complete_list version takes_locks kept_when_full server_restart machine_crash failover lone_master \
            replicas_confirm automatic_failover commands rights messages renewal_in_time
        return
        ;;
    --on-lost)
        mapfile -t COMPREPLY < <(compgen -W 'term kill warn' -- "$cur")
        return
        ;;
    --wait | --lease | --watchdog | --max-hold | --min-hold | --lock-delay | --replicas-timeout | --grace | --expiry | --limit)
        mapfile -t COMPREPLY < <(compgen -W '500ms 5s 30s 1m 5m 1h' -- "$cur")
        return
        ;;
    --replicas)
        mapfile -t COMPREPLY < <(compgen -W '1 2 all none' -- "$cur")
        return
        ;;
    --conflict-exit-code)
        mapfile -t COMPREPLY < <(compgen -W '0 1 75' -- "$cur")
        return
        ;;
    esac

    local server='--server --config --password-file --ca-file --certificate-file --key-file'
    server="$server --require-server --json --verbose --help"
    local wait="--wait --no-wait --conflict-exit-code $server"
    local times="--wait --no-wait --lease --watchdog --max-hold --min-hold --lock-delay"
    times="$times --replicas --replicas-timeout --conflict-exit-code $server"
    local lock="--fair --fenced --shared --write --permits $times"
    case $command in
    run) words="$lock --on-lost --grace --" ;;
    elect) words="$times --candidate --who --on-lost --grace --" ;;
    hold) words=$lock ;;
    status | list) words="--type $server" ;;
    ping) words=$server ;;
    doctor) words="--types --name-prefix --accept --replicas --limit $server" ;;
    acl) words="--types --name-prefix --topology --sharded --replicas --database --sentinels --user --help" ;;
    unlock) words="--force $server" ;;
    semaphore)
        if ((COMP_CWORD == 2)); then
            words='set acquire release add available drain remove --help'
        else
            case ${COMP_WORDS[2]} in
            set) words="--expiry $server" ;;
            acquire) words="--permits $wait" ;;
            release) words="--permits $server" ;;
            *) words=$server ;;
            esac
        fi
        ;;
    permits)
        if ((COMP_CWORD == 2)); then
            words='set show release remove --help'
        elif [[ ${COMP_WORDS[2]} == set ]]; then
            words="--resize $server"
        else
            words=$server
        fi
        ;;
    latch)
        if ((COMP_CWORD == 2)); then
            words='set count-down wait count remove --help'
        elif [[ ${COMP_WORDS[2]} == wait ]]; then
            words=$wait
        else
            words=$server
        fi
        ;;
    server)
        if ((COMP_CWORD == 2)); then
            words='status stop --help'
        elif [[ ${COMP_WORDS[2]} == stop ]]; then
            words='--force --help'
        else
            words='--json --help'
        fi
        ;;
    config)
        if ((COMP_CWORD == 2)); then
            words='check --help'
        elif [[ $cur != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return
        else
            words='--json --help'
        fi
        ;;
    version) words='--json --help' ;;
    esac
    if [[ $cur == -* || $command == server || $command == config || $command == ping || $command == doctor || $command == version ]] \
        || [[ $COMP_CWORD -eq 2 && ($command == semaphore || $command == permits || $command == latch) ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    elif ((COMP_CWORD == 2)); then
        _redlatch_complete_names
    fi
}

complete -F _redlatch redlatch
