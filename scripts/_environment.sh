# Sourced by scripts/demo and scripts/test: a virtual environment in .venv with the project in it.
# What is done already is seen from a stamp and not done again.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }
die() { printf '%s\n' "$*" >&2; exit 1; }

# Install Debian packages, as root or through sudo.
apt_install() {
    local run=()
    [ "$(id -u)" = 0 ] || run=(sudo)
    command -v apt-get >/dev/null || die "apt-get is not here: install $* by hand, then run this again"
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || die "as root, run: apt-get install $*"
    say "Installing $*"
    "${run[@]}" apt-get update -qq
    "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

find_python() {
    local name
    for name in python3 python3.13 python3.12 python3.11; do
        if command -v "$name" >/dev/null &&
            "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
            printf '%s' "$name"
            return 0
        fi
    done
    return 1
}

# prepare EXTRA: the project with an optional extra, and its models.
prepare() {
    local extra=$1 stamp wanted python
    exec 9>"$root/.venv.lock"
    if command -v flock >/dev/null; then flock 9; fi
    if [ ! -x .venv/bin/python ]; then
        find_python >/dev/null || apt_install python3 python3-venv python3-dev
        python=$(find_python) || die "MemGuard needs Python 3.11, 3.12 or 3.13; none was found"
        say "Making a virtual environment in .venv with $("$python" --version)"
        if ! "$python" -m venv .venv 2>/dev/null; then
            rm -rf .venv
            apt_install python3-venv
            "$python" -m venv .venv
        fi
    fi
    stamp=.venv/memguard-${extra:-core}.stamp
    wanted=$(cat pyproject.toml scripts/_environment.sh | sha256sum)
    if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
        say "Installing the project (the first time takes some minutes)"
        # torch alone first, by its pin: resolved beside the rest, a newer one may be fetched and thrown away
        .venv/bin/python -m pip install --disable-pip-version-check -q "torch==2.13.*"
        .venv/bin/python -m pip install --disable-pip-version-check -q -e ".${extra:+[$extra]}"
        printf '%s' "$wanted" >"$stamp"
    fi
    .venv/bin/memguard setup
    exec 9>&-
}
