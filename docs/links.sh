#!/usr/bin/env bash
# Checks the external links of the book, the guide and the README. It needs the network, so it is no part of .ci/run.
#
# usage: docs/links.sh [--list] [--help] [FILE]..
#   --list    prints the links, and requests none
#   FILE      the files to read; unless given: README.md, the other pages of the repository, docs/src and the guide
#
# Links to pages that exist only after a release are left out: those of evenkeel on docs.rs and crates.io. It prints each link without an
# answer, or with an error, beside the files that have it, and ends with 1 if there is one.
set -euo pipefail

list=''
files=()
while [ $# -gt 0 ]; do
    case $1 in
    --list) list=1 ;;
    --help | -h) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    -*) echo "links.sh: unknown argument $1; see --help" >&2; exit 2 ;;
    *) [ -r "$1" ] || { echo "links.sh: $1 cannot be read" >&2; exit 2; }; files+=("$(realpath "$1")") ;;
    esac
    shift
done
cd "$(dirname "$0")/.."
if [ ${#files[@]} = 0 ]; then
    mapfile -t files < <(git ls-files '*.md' ':!:ui-tests' ':!:examples/template' ':!:examples/tests')
fi

# Without what is in front of a link or behind it, and without the anchor, which the server does not see.
links=$(grep -hoE 'https?://[^][ <>"`)|]+' "${files[@]}" | sed -E 's/[.,;:'"'"']+$//; s/#.*$//' | sort -u |
    grep -vE '^https://(docs\.rs|crates\.io/crates)/evenkeel|^https?://([^/]*\.)?(example\.(com|org)|localhost|127\.|192\.0\.2\.)|[$*{]' || true)
if [ -n "$list" ]; then
    printf '%s\n' "$links"
    exit 0
fi

check() {
    code=$(curl --silent --output /dev/null --location --max-time 20 --retry 1 --user-agent 'evenkeel docs/links.sh' \
        --write-out '%{http_code}' "$1" || true)
    case $code in 2?? | 3??) echo "ok $1" ;; 000) echo "no answer: $1" ;; *) echo "$code: $1" ;; esac
}
export -f check
count=$(printf '%s\n' "$links" | grep -c . || true)
echo "$count links .." >&2
failed=$(printf '%s\n' "$links" | grep . | xargs -P 8 -I{} bash -c 'check "$1"' _ {} | grep -v '^ok ' || true)
[ -z "$failed" ] && { echo "all $count links have an answer"; exit 0; }
while IFS= read -r line; do
    echo "$line"
    grep -lF -- "${line#*: }" "${files[@]}" | sed 's/^/    /'
done <<<"$failed"
exit 1
