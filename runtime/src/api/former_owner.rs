//! The earlier tool whose objects a set takes over.

use kube::api::ObjectMeta;
use serde_json::{Value, json};

use crate::dependent_rules::response::taken_over;
use crate::sha256::sha256;
use crate::wiring::FormerTool;

/// The letters of base32 by RFC 4648, as SAP's component reconciler prints it.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The component as an earlier tool marked its objects.
#[derive(Clone, Debug)]
pub(crate) struct FormerOwner {
    previously: FormerTool,
    /// The uid of its cluster, its namespace and its name: `<uid>/<namespace>/<name>`.
    owner_id: String,
}

impl FormerOwner {
    /// The owner of the objects of a component. `cluster`: the uid of its cluster; it is needed for marks only.
    pub(crate) fn new(previously: FormerTool, cluster: &str, namespace: Option<&str>, name: &str) -> Self {
        Self { previously, owner_id: format!("{cluster}/{}/{name}", namespace.unwrap_or_default()) }
    }

    /// Whether the object has its mark.
    pub(crate) fn marks(&self, meta: &ObjectMeta) -> bool {
        let annotation = |prefix: &&str| meta.annotations.as_ref()?.get(&format!("{prefix}/owner-id"));
        self.previously.marks.iter().filter_map(annotation).any(|owner| *owner == self.owner_id)
    }

    /// The label selectors of its objects.
    pub(crate) fn selectors(&self) -> impl Iterator<Item = String> + '_ {
        let hash = base32(&sha256(&self.owner_id));
        self.previously.marks.iter().map(move |prefix| format!("{prefix}/owner-id={hash}"))
    }

    /// The `managedFields` of the object after this manager took over the fields of its own; `None`: it has none.
    pub(crate) fn taken_over(&self, meta: &ObjectMeta, manager: &str) -> Option<Value> {
        taken_over(&json!(meta.managed_fields), manager, &|name| self.previously.managers.contains(&name))
    }
}

/// The bytes in base32, without padding.
fn base32(bytes: &[u8]) -> String {
    let bit = |at: usize| bytes.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1);
    let letter = |at: usize| (0..5).fold(0, |letter, i| letter << 1 | usize::from(bit(at + i)));
    (0..bytes.len() * 8).step_by(5).map(|at| char::from(LETTERS[letter(at)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREVIOUSLY: FormerTool = FormerTool { managers: &["shop"], marks: &["shop.example.com"] };

    fn meta(owner: &str) -> ObjectMeta {
        ObjectMeta {
            annotations: Some([("shop.example.com/owner-id".into(), owner.into())].into()),
            ..ObjectMeta::default()
        }
    }

    #[test]
    fn the_mark_names_cluster_namespace_and_name() {
        let former = FormerOwner::new(PREVIOUSLY, "uid", Some("ns"), "name");
        assert!(former.marks(&meta("uid/ns/name")));
        for other in ["uid/ns/other", "other/ns/name", "uid//name", "ns/name"] {
            assert!(!former.marks(&meta(other)), "{other}");
        }
        assert!(!former.marks(&ObjectMeta::default()));
        assert!(FormerOwner::new(PREVIOUSLY, "uid", None, "name").marks(&meta("uid//name")));
    }

    #[test]
    fn the_label_is_that_of_the_earlier_tool() {
        // From a test of SAP's component reconciler.
        let hash = "t6dnbamijr6wlgrp5kqmkwwqcwr36ty3fmfyelgrlvwblmhqbiea";
        assert_eq!(base32(&sha256("test")), hash);
        assert_eq!((&*base32(b""), &*base32(b"f"), &*base32(b"fooba")), ("", "my", "mzxw6ytb"));
        let former = FormerOwner::new(PREVIOUSLY, "uid", Some("ns"), "name");
        let label = base32(&sha256("uid/ns/name"));
        assert_eq!(former.selectors().collect::<Vec<_>>(), [format!("shop.example.com/owner-id={label}")]);
    }
}
