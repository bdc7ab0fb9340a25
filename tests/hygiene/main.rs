//! Expansions compile wherever a user may put them.
#![allow(dead_code, unreachable_pub, reason = "operators are written as in a library; the test is that they compile")]

mod northstar;
