//! Watchers: which method is called for which object.

mod bare;
mod life;
mod service;
mod sweep;
mod tries;
