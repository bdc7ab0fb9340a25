//! The passes of an object without success, and the values that they hand to the next one.

use crate::outcome::Outcome;
use crate::pipeline::state::{Carried, CarriedValues};

/// The passes of one generation since the last success.
#[derive(Default)]
pub(in crate::pass) struct Tried {
    generation: i64,
    count: u32,
    values: Option<CarriedValues>,
}

impl Tried {
    /// What a pass of this generation gets.
    pub(in crate::pass) fn carried(&self, generation: i64) -> Carried {
        match self.generation == generation {
            true => Carried::after(self.count, self.values.clone()),
            false => Carried::default(),
        }
    }

    /// What is kept after a pass; `None`: nothing, since it succeeded or the object is gone. A conflict is no try.
    pub(in crate::pass) fn after(generation: i64, outcome: &Outcome, carried: &mut Carried) -> Option<Self> {
        let values = carried.put_back();
        let count = match outcome {
            Outcome::Done | Outcome::Ignored | Outcome::Gone => return None,
            Outcome::Conflict => carried.tries(),
            _ => carried.tries().saturating_add(1),
        };
        Some(Self { generation, count, values })
    }
}
