# shellcheck shell=bash
# Sourced by scripts/demo and scripts/test: a virtual environment in .venv with the project in it.
# What is done already is seen from a stamp and not done again.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

say() { printf '%s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

# One of two runs at once waits here for the other.
lock() {
    exec 9>"$root/.venv.lock"
    if command -v flock >/dev/null && ! flock -n 9; then
        say "Waiting for another run of scripts/ in this folder"
        flock 9
    fi
}
unlock() { exec 9>&-; }

# Install Debian packages, as root or through sudo; says what to do and returns 2 where it may not.
apt_install() {
    local run=()
    if ! command -v apt-get >/dev/null; then
        say "apt-get is not here: install $* by hand, then run this again"
        return 2
    fi
    if [ "$(id -u)" != 0 ]; then
        run=(sudo)
        if ! command -v sudo >/dev/null; then
            say "As root, run: apt-get install $*"
            return 2
        fi
    fi
    say "Installing $*"
    "${run[@]}" apt-get update -qq &&
        "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# The first Python of a tested version that can make an environment, then any newer one, then one that
# still lacks the venv package. torch decides how new: 2.13 has wheels for 3.11 to 3.14.
find_python() {
    local imports name
    for imports in 'import ensurepip, venv' ''; do
        for name in python3.11 python3.12 python3.13 python3 python3.14; do
            if command -v "$name" >/dev/null &&
                "$name" -c "import sys; assert sys.version_info >= (3, 11)"$'\n'"$imports" 2>/dev/null; then
                printf '%s' "$name"
                return 0
            fi
        done
    done
    return 1
}

make_environment() {
    local package python said
    if ! python=$(find_python); then
        apt_install python3 python3-venv || true
        python=$(find_python) || die "MemGuard needs Python 3.11 or newer; none was found"
    fi
    say "Making a virtual environment in .venv with $("$python" --version)"
    rm -rf .venv
    if said=$("$python" -m venv .venv 2>&1); then return; fi
    # Debian keeps venv in a package of its own, one for each Python.
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    rm -rf .venv
    if apt_install "$package" && said=$("$python" -m venv .venv 2>&1); then return; fi
    rm -rf .venv
    die "$python cannot make a virtual environment:"$'\n'"$said"
}

# install EXTRA: the project, with an optional extra, where what it needs has changed since the last time.
install() {
    local extra=$1 stamp wanted
    wanted=$({ printf '%s\n' "$root"; cat pyproject.toml scripts/_environment.sh; } | sha256sum)
    for stamp in ".venv/memguard-${extra:-core}.stamp" .venv/memguard-dev.stamp; do
        if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then return; fi
    done
    say "Installing the project (the first time takes some minutes)"
    # torch alone first, by its pin: resolved beside the rest, a newer one may be fetched and thrown away
    .venv/bin/python -m pip install --disable-pip-version-check "torch==2.13.*" >&2
    .venv/bin/python -m pip install --disable-pip-version-check -q -e ".${extra:+[$extra]}" >&2
    printf '%s' "$wanted" >".venv/memguard-${extra:-core}.stamp"
}

# prepare EXTRA: the environment, the project with an optional extra, and the models.
prepare() {
    lock
    # An environment whose making was interrupted has a python and no pip.
    if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then make_environment; fi
    install "$1"
    .venv/bin/python -m memguard setup
    unlock
}
