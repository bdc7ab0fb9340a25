#!/usr/bin/env bash
# Mutants: small changes of the source that some test should notice. Which ones live?
#
# usage: tests/mutants.sh [--sample N] [--seed WORD] [--in-diff FROM..TO] [--list] [--help]
#   --sample N          so many of all, drawn by the seed; 300 unless given, 0: all of them
#   --seed WORD         what draws them; the hash of the commit unless given
#   --in-diff FROM..TO  only those in lines that these commits changed, all of them unless --sample is given, too
#   --list              prints the draw and ends
#
# Takes condition, pipeline/state (with two files of status), pass, queue, watch and flux of the runtime. Each mutant meets the fast
# tests first (the unit tests of the runtime and the cases of Flux); those that live meet the behaviour tests and the cases of the other
# systems. A mutant dies when a test fails or when the tests no longer end. Ended halfway, it goes on where it was: the results stay in
# target/mutants/<draw>.
# At the end it prints the survivors and the share that died, and fails where that is under 92 %.
set -euo pipefail
cd "$(dirname "$0")/.."

sample=300 seed=$(git rev-parse HEAD) range='' only_list='' given=''
while [ $# -gt 0 ]; do
    case $1 in
    --sample) sample=$2 given=1; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --in-diff) range=$2; shift 2 ;;
    --list) only_list=1; shift ;;
    --help | -h) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    *) echo "mutants.sh: unknown argument $1; see --help" >&2; exit 2 ;;
    esac
done
[ -z "$range" ] || [ -n "$given" ] || sample=0

tools=${XDG_CACHE_HOME:-$HOME/.cache}/evenkeel/tools
export PATH=$tools/bin:$PATH
command -v cargo-mutants >/dev/null || cargo install --quiet --locked --root "$tools" cargo-mutants

modules=(condition pipeline/state pass queue watch flux)
# Three files of the status that the state of a pass was split into.
parts=(status/desired status/erased status/fields)
files=()
for module in "${modules[@]}"; do files+=(--file "runtime/src/$module/**"); done
for part in "${parts[@]}"; do files+=(--file "runtime/src/$part.rs"); done
out=target/mutants/$(printf '%s %s %s' "$seed" "$sample" "$range" | sha256sum | cut -c1-12)
mkdir -p "$out" target/mutants/tmp
# The copy of the tree stands within it, so that the suites find the folders beside the repository.
TMPDIR=$PWD/target/mutants/tmp
export TMPDIR
diff=()
if [ -n "$range" ]; then
    git diff "$range" >"$out/changes.diff"
    diff=(--in-diff "$out/changes.diff")
fi

# A draw: the names in the order of their hashes with the seed.
if [ ! -s "$out/draw" ]; then
    cargo mutants --list "${files[@]}" ${diff[@]+"${diff[@]}"} >"$out/all"
    while IFS= read -r name; do
        printf '%s %s\n' "$(printf '%s %s' "$seed" "$name" | sha256sum | cut -c1-16)" "$name"
    done <"$out/all" | sort | cut -d' ' -f2- >"$out/ordered"
    if [ "$sample" -gt 0 ]; then head -n "$sample" "$out/ordered" >"$out/draw"; else cp "$out/ordered" "$out/draw"; fi
fi
total=$(wc -l <"$out/draw")
[ "$total" -gt 0 ] || { echo "no mutants: nothing of ${modules[*]} ${parts[*]} was changed"; exit 0; }
echo "$total of $(wc -l <"$out/all") mutants, drawn by $seed; results in $out"
[ -z "$only_list" ] || { cat "$out/draw"; exit 0; }

# The mutants of a file of names as regular expressions that match each whole name and nothing else.
chosen() { sed -e 's/[][\.^$*+?(){}|]/\\&/g' -e 's/^/--re\n^/' -e 's/$/$/' "$1" | sed 's/^--re\$$/--re/'; }

# The lines of the mutants of a file as a diff. cargo-mutants 27.1 takes field deletions whatever their names are (its issue 632); with this
# diff it takes only those on the same lines, and their results do not count.
lines_of() {
    local source deletions
    cut -d: -f1 "$1" | sort -u | while IFS= read -r source; do
        deletions=$(awk -F: -v source="$source" '$1 == source { print $2 "d" }' "$1")
        diff -u --label "a/$source" --label "b/$source" <(sed "$deletions" "$source") "$source" || true
    done
}

# Those lines of the files that name a drawn mutant.
drawn() { grep -hFxf "$out/draw" "$@" || true; }

# stage NAME FILE TEST-ARGUMENTS..: builds and runs those tests for the mutants of the file; what was caught before is not run again.
stage() {
    local name=$1 file=$2
    shift 2
    [ -s "$file" ] || return 0
    [ -e "$out/$name.done" ] && return 0
    echo "== $name: $(wc -l <"$file") mutants"
    local arguments status=0
    mapfile -t arguments < <(chosen "$file")
    lines_of "$file" >"$out/$name.diff"
    # 2: some live, 3: some did not end; both are results.
    cargo mutants --iterate --output "$out/$name" "${files[@]}" "${arguments[@]}" --in-diff "$out/$name.diff" \
        --test-package evenkeel,evenkeel-tests --minimum-test-timeout 120 --no-shuffle --colors never "${@/#/--cargo-arg=}" || status=$?
    case $status in 0 | 2 | 3) ;; *) echo "mutants.sh: cargo mutants ended with $status" >&2; exit "$status" ;; esac
    touch "$out/$name.done"
}

stage fast "$out/draw" --lib --test flux
drawn "$out/fast/mutants.out/missed.txt" >"$out/survivors-of-fast"
stage slow "$out/survivors-of-fast" --test behaviour --test ported

list() { drawn "$out"/*/mutants.out/"$1" 2>/dev/null; }
survivors=$out/survivors
if [ -d "$out/slow" ]; then drawn "$out/slow/mutants.out/missed.txt" >"$survivors"; else : >"$survivors"; fi
lives=$(wc -l <"$survivors") unviable=$(list unviable.txt | sort -u | wc -l) hung=$(list timeout.txt | sort -u | wc -l)
viable=$((total - unviable))
echo "== survivors"
cat "$survivors"
[ "$hung" -eq 0 ] || { echo "== did not end (each must be a loop that the mutant made endless)"; list timeout.txt | sort -u; }
[ "$viable" -gt 0 ] || { echo "none of the $total mutants compiles"; exit 0; }
share=$(((viable - lives) * 1000 / viable))
echo "$((viable - lives)) of $viable died: $((share / 10)).$((share % 10)) % ($unviable did not compile, $hung did not end)"
[ "$share" -ge 920 ] || { echo "mutants.sh: under 92 %" >&2; exit 1; }
