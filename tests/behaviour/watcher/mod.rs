//! Watchers: which method is called for which object.

mod bare;
mod cache;
mod life;
mod service;
mod several;
mod sweep;
mod together;
mod tries;
