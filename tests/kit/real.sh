#!/usr/bin/env bash
# Starts the two real API servers that the test kit is measured against: modern (Kubernetes 1.36 libraries) and full (1.20.2).
# Prints the folder that EVENKEEL_REAL_APISERVER wants; the rest goes to stderr. They stay up: end them with <folder>/down.sh.
#
#   EVENKEEL_REAL_APISERVER=$(tests/kit/real.sh) cargo test -p evenkeel-testkit --test golden --test conformance
#
# The rules about shard selectors need a feature gate. For them, start modern yourself in that folder:
#
#   APISERVER_FLAGS=--feature-gates=ShardedListAndWatch=true <folder>/up.sh modern
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/evenkeel
folder=$cache/oracle
if [ ! -x "$folder/up.sh" ]; then
  archive=
  for shared in "${EVENKEEL_SHARED:-}" "$root/../shared" "$root/../../shared"; do
    if [ -n "$shared" ] && [ -f "$shared/real-apiserver/servers.tar.xz" ]; then
      archive=$shared/real-apiserver/servers.tar.xz
      break
    fi
  done
  [ -n "$archive" ] || { echo "real.sh: no servers.tar.xz beside the repository: set EVENKEEL_SHARED" >&2; exit 3; }
  mkdir -p "$cache"
  tar xJf "$archive" -C "$cache"
fi
# Their memory is small, so collecting it less often is cheap: a sixth of their processor time.
export GOGC=${GOGC:-400}
"$folder/up.sh" modern >&2
"$folder/up.sh" full >&2
echo "kubeconfigs: $folder/kubeconfig-modern $folder/kubeconfig" >&2
echo "$folder"
