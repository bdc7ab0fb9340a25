//! The plan of a set: its objects in order. With the objects that exist it gives the next calls.

mod build;
mod checked;
mod contradiction;
mod conversion;
mod item;
mod live;
mod removal;
mod removal_reason;
mod stage;
mod state;

pub use self::build::PlanOptions;
pub use self::item::{Item, Part, Plan};
pub use self::live::{Live, LiveObject};
pub use self::removal::{Removal, Unwanted, removal};
pub use self::removal_reason::RemovalReason;
pub use self::stage::{Action, Completed, Method, Stage, Wait, stage};
pub use self::state::{Change, State, state};

#[cfg(test)]
mod tests;
