#!/usr/bin/env bash
# Runs a command with the lavapipe of Debian trixie (Mesa 25, which has ray queries), also where the system's is older: its
# packages, 57 MB with their C library, are unpacked in a folder, where they stay; nothing is installed. Needs apt.
#     tools/trixie-lavapipe.sh FOLDER target/debug/chiaro-filetest rays
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: $0 FOLDER COMMAND [ARGUMENT...]" >&2; exit 2; }
mkdir -p "$1"
folder=$(realpath "$1")
shift

# The packages that apt chooses where nothing is installed yet; none of its state is the system's.
fetch() {
    local apt=$folder/apt
    mkdir -p "$apt/lists/partial" "$apt/archives/partial"
    touch "$apt/status"
    echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main' >"$apt/sources.list"
    cat >"$apt/apt.conf" <<END
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/nonexistent";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
APT::Architecture "amd64";
APT::Sandbox::User "$(id -un)";
Debug::NoLocking "true";
END
    export APT_CONFIG=$apt/apt.conf
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends --download-only mesa-vulkan-drivers libvulkan1
    mkdir "$folder/unpacking"
    for package in "$apt"/archives/*.deb; do dpkg -x "$package" "$folder/unpacking"; done
    rm -r "$apt"
    mv "$folder/unpacking" "$folder/root"
}

[ -d "$folder/root" ] || fetch >&2
libraries=$folder/root/usr/lib/x86_64-linux-gnu
export VK_DRIVER_FILES=$folder/root/usr/share/vulkan/icd.d/lvp_icd.json
exec "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "$@"
