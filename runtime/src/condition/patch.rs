//! The three-way merge: what one writer changed, applied to what others made of the list meanwhile.

use std::fmt;

use super::{Condition, Stamp, delete, find, set};

/// What a writer did to one condition.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionPatch {
    /// It was not there before.
    Add {
        /// As it is now.
        after: Condition,
    },
    /// Anything of it is another, its generation and time included.
    Change {
        /// As it was.
        before: Condition,
        /// As it is now.
        after: Condition,
    },
    /// It is gone.
    Remove {
        /// As it was.
        before: Condition,
    },
}

impl ConditionPatch {
    /// The type of the condition.
    #[must_use]
    pub fn type_(&self) -> &str {
        match self {
            Self::Add { after } | Self::Change { after, .. } => &after.type_,
            Self::Remove { before } => &before.type_,
        }
    }
}

/// Which conditions are the writer's own, so that what others made of them does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owned<'a> {
    /// These types.
    Types(&'a [&'a str]),
    /// All: the writer has its way.
    All,
}

impl Owned<'_> {
    fn holds(&self, type_: &str) -> bool {
        match self {
            Self::Types(types) => types.contains(&type_),
            Self::All => true,
        }
    }
}

/// Another writer changed the same condition to something else.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// What could not be applied.
    pub operation: ConditionPatch,
    /// What stands there instead.
    pub latest: Option<Condition>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let type_ = self.operation.type_();
        match &self.latest {
            Some(latest) => {
                write!(f, "another writer set the condition {type_} to {}: {}", latest.status, latest.reason)
            }
            None => write!(f, "another writer removed the condition {type_}"),
        }
    }
}

impl std::error::Error for Conflict {}

/// What was done between the two lists: what was added or changed, then what was removed.
#[must_use]
pub fn diff(before: &[Condition], after: &[Condition]) -> Vec<ConditionPatch> {
    let set = after.iter().filter_map(|after| match find(before, &after.type_) {
        None => Some(ConditionPatch::Add { after: after.clone() }),
        Some(before) if before == after => None,
        Some(before) => Some(ConditionPatch::Change { before: before.clone(), after: after.clone() }),
    });
    let removed = before.iter().filter(|before| find(after, &before.type_).is_none());
    set.chain(removed.map(|before| ConditionPatch::Remove { before: before.clone() })).collect()
}

/// Applies the operations to the latest list. What is not touched stays as it is there.
///
/// The stamp is that of the writer: a condition is about the generation on which the work was done, not about the latest.
///
/// ```
/// use evenkeel::condition::patch::{Owned, apply, diff};
/// use evenkeel::condition::{Condition, Stamp, ConditionStatus};
/// let stamp = Stamp::new(1, "2024-05-01T10:00:00Z".parse().unwrap());
/// let stored = [Condition::new("Stored", ConditionStatus::True, "Succeeded", "")];
/// let latest = [Condition::new("Scanned", ConditionStatus::True, "Clean", "")];
/// let merged = apply(&diff(&[], &stored), &latest, Owned::Types(&["Stored"]), &stamp).unwrap();
/// assert_eq!(merged.len(), 2);
/// ```
///
/// # Errors
/// [`Conflict`]: a condition that the writer does not own was made something else by another. Nothing is applied then.
pub fn apply(
    operations: &[ConditionPatch],
    latest: &[Condition],
    owned: Owned<'_>,
    stamp: &Stamp,
) -> Result<Vec<Condition>, Box<Conflict>> {
    let mut conditions = latest.to_vec();
    for operation in operations {
        let found = find(latest, operation.type_());
        let is_owned = owned.holds(operation.type_());
        match decide(operation, found, is_owned) {
            Decision::Set(after) => set(&mut conditions, after.clone(), stamp),
            Decision::Delete => delete(&mut conditions, operation.type_()),
            Decision::Keep => {}
            Decision::Conflict => {
                return Err(Box::new(Conflict { operation: operation.clone(), latest: found.cloned() }));
            }
        }
    }
    Ok(conditions)
}

enum Decision<'o> {
    Set(&'o Condition),
    Delete,
    /// The latest list says the same already: its time stays.
    Keep,
    Conflict,
}

fn decide<'o>(operation: &'o ConditionPatch, latest: Option<&Condition>, is_owned: bool) -> Decision<'o> {
    let says = |wanted: &Condition| latest.is_some_and(|latest| latest.same_state(wanted));
    match operation {
        ConditionPatch::Add { after } | ConditionPatch::Change { after, .. } if is_owned => Decision::Set(after),
        ConditionPatch::Add { after } if latest.is_none() => Decision::Set(after),
        ConditionPatch::Change { before, after } if latest == Some(before) => Decision::Set(after),
        ConditionPatch::Add { after } | ConditionPatch::Change { after, .. } if says(after) => Decision::Keep,
        ConditionPatch::Remove { .. } if latest.is_none() => Decision::Keep,
        ConditionPatch::Remove { before } if is_owned || says(before) => Decision::Delete,
        ConditionPatch::Add { .. } | ConditionPatch::Change { .. } | ConditionPatch::Remove { .. } => {
            Decision::Conflict
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::ConditionStatus;

    #[test]
    fn a_conflict_says_what_the_other_writer_made_of_the_condition() {
        let scanned = |status| Condition::new("Scanned", status, "Clean", "");
        let operation = ConditionPatch::Remove { before: scanned(ConditionStatus::True) };
        let conflict = |latest| Conflict { operation: operation.clone(), latest }.to_string();
        let changed = conflict(Some(scanned(ConditionStatus::False)));
        assert_eq!(changed, "another writer set the condition Scanned to False: Clean");
        assert_eq!(conflict(None), "another writer removed the condition Scanned");
    }
}
