//! Two versions of one program: a roll-out with another storage version, the migration of the objects, and the way back.

mod migrate;
mod programs;
mod roll_out;
