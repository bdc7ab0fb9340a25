#!/bin/sh
# rustdoc as the test of the public API runs it: its JSON output is unstable, and the variable that allows it must not reach build scripts,
# which would then build all dependencies anew.
RUSTC_BOOTSTRAP=1 exec rustdoc "$@"
