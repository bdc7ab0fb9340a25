//! What operators do, topic by topic, on the in-process server and, where it is their affair, on the real ones.
//!
//! One binary: linking is what costs. `cargo test -p evenkeel-tests --test behaviour week` runs one topic.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod actions;
mod allocations;
mod behind;
mod cache;
mod calls;
mod claim;
mod closed;
mod condition;
mod deciding;
mod depend;
mod diagnostics;
mod events;
mod exhaustive;
mod export;
mod fixtures;
mod floor;
mod handmade;
mod hardship;
mod hook;
mod index;
mod late;
mod lean;
mod limits;
mod listing;
mod meeting;
mod metrics;
mod misfortune;
mod oneshot;
mod otlp;
mod outage;
mod ownership;
mod pair;
mod pipeline;
mod policy;
mod property;
mod relation;
mod request;
mod restricted;
mod rights;
mod second;
mod shared;
mod spans;
mod startup;
mod streaming;
mod suspend;
mod sweep;
mod table;
mod times;
mod trigger;
mod unchanged;
mod versions;
mod watch;
mod week;
