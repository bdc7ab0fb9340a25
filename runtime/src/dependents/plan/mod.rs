//! The plan of a set: its objects in order. With the objects that exist it gives the next calls.

mod build;
mod contradiction;
mod item;
mod leaving;
mod member;
mod removal;
mod stage;
mod state;

pub use self::build::PlanOptions;
pub use self::item::{Item, Part, Plan};
pub use self::leaving::Leaving;
pub use self::member::{Live, Member};
pub use self::removal::{Departing, Removal, removal};
pub use self::stage::{Action, Completed, Method, Stage, Wait, stage};
pub use self::state::{Change, State, state};

#[cfg(test)]
mod tests;
