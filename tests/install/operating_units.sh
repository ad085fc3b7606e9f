#!/usr/bin/env bash
# The systemd units of docs/operating.md, as systemd reads them.
set -euo pipefail
command -v systemd-analyze >/dev/null || {
    echo "systemd-analyze is not there"
    exit 77
}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/units" "$place/bin"
# Each unit is a block behind a line that ends with its name: `/etc/systemd/system/NAME`:
awk -v folder="$place/units" '
    /`\/etc\/systemd\/system\/[a-z.]+`:$/ { name = $0; sub(/`:$/, "", name); sub(/.*\//, "", name) }
    /^```$/ && inside { inside = 0; name = "" }
    inside { print > (folder "/" name) }
    /^```ini$/ && name { inside = 1 }' "$TREE/docs/operating.md"
[[ $(find "$place/units" -type f | wc -l) -eq 3 ]] || { ls "$place/units" && exit 1; }
# The programs need not be installed here; all else counts, warnings too.
for unit in "$place/units"/*; do
    echo "${unit##*/}"
    sed -i "s|/usr/local/bin/[a-z]*|$(command -v true)|" "$unit"
done
said=$(systemd-analyze verify --man=no "$place/units"/* 2>&1) || { echo "$said" && exit 1; }
echo "$said"
if grep -qF "$place/units" <<<"$said"; then exit 1; fi
