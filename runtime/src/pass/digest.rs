//! The digest: a hash of all that a pass depended on, so that a restart can leave an unchanged object alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::wiring::{Relation, Wiring};

/// A stable 64-bit hash (FNV-1a), the same in every build and on every machine.
pub(super) fn hash(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// The hash of the wiring: it changes when conditions, steps, relations, the classes of errors or the author's revision do.
pub(super) fn wiring(wiring: &Wiring) -> String {
    let mut text = format!("{} {} {:?}", wiring.name, wiring.revision, wiring.previously);
    for condition in wiring.conditions {
        let _ = write!(text, "\n{} {:?}", condition.type_, condition.polarity);
    }
    for step in wiring.steps {
        let _ = write!(text, "\n{} {:?} {:?} {}", step.name, step.sets, step.clears, step.external);
        for relation in step.relations {
            let _ = write!(text, " {}", describe(relation));
        }
        for error in step.errors {
            let _ = write!(text, " {}={}", error.reason, error.class);
        }
    }
    let _ = write!(text, "\n{}", crate::shape::describe(wiring.shape));
    hash(&text)
}

fn describe(relation: &Relation) -> String {
    let kind = relation.kind.map(|kind| kind().resource);
    let kind = kind.map_or_else(String::new, |r| format!("{}/{}", r.api_version, r.kind));
    format!("{:?} {kind}", relation.how)
}

/// The hash of one object's inputs. `tracked`: per owned, watched or read object its uid and version.
pub(super) fn inputs(uid: &str, generation: i64, wiring: &str, tracked: &BTreeMap<String, String>) -> String {
    let mut text = format!("{uid} {generation} {wiring}");
    for (target, version) in tracked {
        let _ = write!(text, "\n{target} {version}");
    }
    hash(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_counts() {
        let tracked = BTreeMap::from([("v1/Secret/a/b".to_owned(), "u 1".to_owned())]);
        let other = BTreeMap::from([("v1/Secret/a/b".to_owned(), "u 2".to_owned())]);
        let base = inputs("u", 1, "w", &tracked);
        assert_eq!(base, inputs("u", 1, "w", &tracked));
        for changed in [
            inputs("v", 1, "w", &tracked),
            inputs("u", 2, "w", &tracked),
            inputs("u", 1, "x", &tracked),
            inputs("u", 1, "w", &other),
            inputs("u", 1, "w", &BTreeMap::new()),
        ] {
            assert_ne!(base, changed);
        }
    }
}
