//! The attribute macros of evenkeel.
