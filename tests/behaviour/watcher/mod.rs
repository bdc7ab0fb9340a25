//! Watchers: which method is called for which object.

mod life;
mod service;
