#!/usr/bin/env bash
# A PostgreSQL server of one's own, on loopback, for as long as standard input stays open.
#
# usage: examples/postgres.sh [--install | PORT]
# Prints one line, the connection string of its superuser, and then waits. It needs PostgreSQL's server programs, and with --install it
# does nothing but install Debian's package where they are missing. As root it runs them as the user postgres: they refuse to run as root.
set -euo pipefail

say() { echo "postgres.sh: $*" >&2; }
newest() { { compgen -G '/usr/lib/postgresql/*/bin' || true; } | sort -V | tail -1; }

[ "${1:-}" != --help ] || { sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0; }
command -v initdb >/dev/null || PATH="$(newest):$PATH"
if [ "${1:-}" = --install ]; then
    if ! command -v initdb >/dev/null; then
        # Without a cluster of the distribution's own, which would run beside.
        mkdir -p /etc/postgresql-common/createcluster.d
        echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/evenkeel.conf
        apt-get update -q && apt-get install -qy --no-install-recommends postgresql
    fi
    exit 0
fi
if ! command -v initdb >/dev/null; then
    say "PostgreSQL's server programs are not there: install them, or run examples/postgres.sh --install as root"
    exit 1
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/evenkeel-postgres.XXXXXX")
as=()
if [ "$(id -u)" = 0 ]; then
    as=(runuser -u postgres --)
    chown postgres "$folder"
fi
cd "$folder"
stop() {
    "${as[@]}" pg_ctl -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 0' INT TERM HUP

# Known to this script and to who reads its output; neither in a list of processes nor in a log.
password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
# Passwords are asked for on each connection, or one that was set wrong would not be noticed.
"${as[@]}" sh -c 'umask 077; cat >password' <<<"$password"
"${as[@]}" initdb -D "$folder/data" -U postgres -E UTF8 --locale=C.UTF-8 --no-sync --auth=scram-sha-256 \
    --pwfile="$folder/password" >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; exit 1; }
rm "$folder/password"

# A port that is free now may be taken a moment later: a few tries.
for try in 1 2 3 4 5; do
    port=${1:-$((20000 + (RANDOM * 32768 + RANDOM) % 20000))}
    options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories= -c fsync=off -c shared_buffers=16MB"
    if "${as[@]}" pg_ctl -D "$folder/data" -w -t 60 -l "$folder/server.log" -o "$options" start >/dev/null; then
        echo "host=127.0.0.1 port=$port user=postgres password=$password dbname=postgres"
        # Until whoever started this has gone, or says so.
        cat >/dev/null
        exit 0
    fi
    [ -z "${1:-}" ] || break
done
say "PostgreSQL does not start; the end of its log:"
tail -5 "$folder/server.log" >&2
exit 1
