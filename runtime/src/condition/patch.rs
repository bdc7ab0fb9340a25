//! A three-way merge of conditions: applies the changes of one writer to the latest list.

use std::fmt;

use super::{Condition, Stamp, delete, find, set};

/// A change that a writer made to one condition.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionPatch {
    /// The condition was added.
    Add {
        /// The new condition.
        after: Condition,
    },
    /// The condition was changed, possibly only in its generation or transition time.
    Change {
        /// The old condition.
        before: Condition,
        /// The new condition.
        after: Condition,
    },
    /// The condition was removed.
    Remove {
        /// The old condition.
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

/// The conditions that the writer owns, for which concurrent changes of other writers are overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owned<'a> {
    /// Conditions of these types.
    Types(&'a [&'a str]),
    /// All conditions.
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

/// The error if another writer changed the same condition differently.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// The change that could not be applied.
    pub operation: ConditionPatch,
    /// The condition in the latest list.
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

/// Returns the changes between two lists: additions and changes first, then removals.
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

/// Applies changes to the latest list. All other conditions stay unchanged.
///
/// The stamp is that of the writer, since a condition describes the generation on which the work was done and not the
/// latest one.
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
/// [`Conflict`]: another writer changed a condition that the writer does not own. The latest list is not modified.
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
    /// The latest list already contains the wanted state, and keeps its transition time.
    Keep,
    Conflict,
}

fn decide<'o>(operation: &'o ConditionPatch, latest: Option<&Condition>, is_owned: bool) -> Decision<'o> {
    let has_state = |wanted: &Condition| latest.is_some_and(|latest| latest.same_state(wanted));
    match operation {
        ConditionPatch::Add { after } | ConditionPatch::Change { after, .. } if is_owned => Decision::Set(after),
        ConditionPatch::Add { after } if latest.is_none() => Decision::Set(after),
        ConditionPatch::Change { before, after } if latest == Some(before) => Decision::Set(after),
        ConditionPatch::Add { after } | ConditionPatch::Change { after, .. } if has_state(after) => Decision::Keep,
        ConditionPatch::Remove { .. } if latest.is_none() => Decision::Keep,
        ConditionPatch::Remove { before } if is_owned || has_state(before) => Decision::Delete,
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
    fn a_conflict_reports_the_change_of_the_other_writer() {
        let scanned = |status| Condition::new("Scanned", status, "Clean", "");
        let operation = ConditionPatch::Remove { before: scanned(ConditionStatus::True) };
        let conflict = |latest| Conflict { operation: operation.clone(), latest }.to_string();
        let changed = conflict(Some(scanned(ConditionStatus::False)));
        assert_eq!(changed, "another writer set the condition Scanned to False: Clean");
        assert_eq!(conflict(None), "another writer removed the condition Scanned");
    }
}
