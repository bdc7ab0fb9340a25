#!/usr/bin/env bash
# Records the live table of the example `gitrepository` as an animated picture: docs/demo.svg, which the README shows.
#
# usage: docs/demo.sh
# Needs script(1) of util-linux. Each change of the table is a frame; a change of the ages alone is none.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v script >/dev/null || { echo "demo.sh: script(1) is missing; on Debian: apt-get install bsdutils" >&2; exit 2; }
cargo build --quiet -p examples --bin gitrepository
recording=$(mktemp)
trap 'rm -f "$recording"' EXIT
script --quiet --return --command "stty cols 118 rows 30; ${CARGO_TARGET_DIR:-target}/debug/gitrepository --once" "$recording" </dev/null >/dev/null
awk '
function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
# The colours of the terminal become classes.
function coloured(line,   out, part, code) {
    out = ""
    while (match(line, /\033\[[0-9;]*m/)) {
        code = substr(line, RSTART + 2, RLENGTH - 3)
        out = out escaped(substr(line, 1, RSTART - 1)) (code == "0" ? "</tspan>" : "<tspan class=\"c" code "\">")
        line = substr(line, RSTART + RLENGTH)
    }
    return out escaped(line)
}
function keep(   ageless) {
    ageless = frame
    gsub(/[0-9]+[ms][0-9ms]* *\n/, "\n", ageless)
    gsub(/  +/, " ", ageless)
    if (rows == 5 && ageless != last) { frames[++count] = frame; last = ageless }
    frame = ""; rows = 0
}
{ sub(/\r$/, "") }
# A frame begins by moving the cursor up.
/\033\[[0-9]+A/ { keep() }
/\033\[2K/ { gsub(/\033\[([0-9]*[AJ]|2K)/, ""); frame = frame $0 "\n"; rows++ }
END {
    keep()
    if (count < 3) { print "demo.sh: only " count " frames were recorded" > "/dev/stderr"; exit 1 }
    width = 960; height = 136; seconds = 2 * count + 2
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n", width, height
    print "<title>Four GitRepository objects become ready, or show why they are not</title>"
    print "<style>"
    print "text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d7dde4; white-space: pre }"
    print ".c1 { font-weight: 600 } .c31 { fill: #ff7b72 } .c32 { fill: #7ee787 } .c33 { fill: #e3b341 }"
    print "g { visibility: hidden; animation: " seconds "s step-end infinite }"
    for (at = 1; at <= count; at++) {
        from = (at - 1) * 200 / seconds; to = at == count ? 100 : at * 200 / seconds
        printf "@keyframes f%d { 0%% { visibility: %s } %.2f%% { visibility: visible } ", at, at == 1 ? "visible" : "hidden", from
        if (at < count) printf "%.2f%% { visibility: hidden } ", to
        printf "}\n#f%d { animation-name: f%d }\n", at, at
    }
    print "@media (prefers-reduced-motion: reduce) { g { animation: none } #f" count " { visibility: visible } }"
    print "</style>"
    printf "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#161b22\"/>\n", width, height
    for (at = 1; at <= count; at++) {
        printf "<g id=\"f%d\">\n", at
        lines = split(frames[at], text, "\n")
        for (line = 1; line < lines; line++)
            printf "<text x=\"16\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", 8 + 22 * line, coloured(text[line])
        print "</g>"
    }
    print "</svg>"
}' "$recording" >docs/demo.svg
echo "docs/demo.svg is written"
