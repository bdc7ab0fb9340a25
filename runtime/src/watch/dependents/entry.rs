//! A known dependent as the store holds it. There may be very many, so it is small.

use std::sync::Arc;
use std::time::Duration;

use kube::api::DynamicObject;
use tokio::time::Instant;

use super::compact_text::{CompactText, Uuid};
use super::known::KnownDependent;
use crate::dependency::ObjectStatus;
use crate::dependent_rules::manifest::Applied;
use crate::dependent_rules::plan::LiveObject;
use crate::dependent_rules::policy::DeletePolicy;
use crate::queue::Key;

/// The stored form of a [`KnownDependent`], which describes the fields.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) component: Arc<Key>,
    /// The list of its kind that was the last to begin before the object was delivered or written.
    pub(super) list: u64,
    step: Arc<str>,
    uid: CompactText<Uuid>,
    resource_version: CompactText<u64>,
    applied: Option<Applied>,
    is_deleted: bool,
    is_former: bool,
    owns_replicas: bool,
    fields: Option<u64>,
    /// Whether the baseline equals the fields, as is the rule after an apply.
    is_baseline: bool,
    since: Instant,
    extra: Option<Box<Extra>>,
}

/// The fields that differ from [`Extra::NONE`] for few dependents.
#[derive(PartialEq, Clone)]
struct Extra {
    status: ObjectStatus,
    /// The baseline, if it differs from the fields.
    baseline: Option<u64>,
    finalizers: Vec<String>,
    content: Option<Arc<DynamicObject>>,
    annotated: Option<Result<DeletePolicy, String>>,
}

impl Extra {
    const NONE: &'static Self =
        &Self { status: ObjectStatus::Current, baseline: None, finalizers: Vec::new(), content: None, annotated: None };
}

impl Entry {
    /// The entry of a dependent. `component` is the component of `known`, shared with its other dependents.
    pub(super) fn new(known: KnownDependent, component: Arc<Key>, list: u64) -> Self {
        let KnownDependent { live, fields, baseline, finalizers, content, annotated, .. } = known;
        let is_baseline = baseline == fields;
        let baseline = baseline.filter(|_| !is_baseline);
        let extra = Extra { status: live.status, baseline, finalizers, content, annotated };
        Self {
            component,
            list,
            step: known.step,
            uid: CompactText::new(&live.uid),
            resource_version: CompactText::new(&live.resource_version),
            applied: live.applied,
            is_deleted: live.is_deleted,
            is_former: known.is_former,
            owns_replicas: known.owns_replicas,
            fields,
            is_baseline,
            since: known.since,
            extra: (extra != *Extra::NONE).then(|| Box::new(extra)),
        }
    }

    fn extra(&self) -> &Extra {
        self.extra.as_deref().unwrap_or(Extra::NONE)
    }

    /// The dependent.
    pub(super) fn known(&self) -> KnownDependent {
        let Extra { status, baseline, finalizers, content, annotated } = self.extra().clone();
        let live = LiveObject {
            uid: self.uid.to_string(),
            resource_version: self.resource_version.to_string(),
            applied: self.applied,
            is_deleted: self.is_deleted,
            has_drifted: false,
            age: Duration::ZERO,
            status,
        };
        KnownDependent {
            component: Key::clone(&self.component),
            step: self.step.clone(),
            live,
            fields: self.fields,
            baseline: if self.is_baseline { self.fields } else { baseline },
            since: self.since,
            finalizers,
            content,
            annotated,
            is_former: self.is_former,
            owns_replicas: self.owns_replicas,
        }
    }

    /// Whether the object has this uid.
    pub(super) fn has_uid(&self, uid: &str) -> bool {
        self.uid == CompactText::new(uid)
    }

    /// Takes the present fields as the baseline, unless there is one.
    pub(super) fn accept(&mut self) {
        self.is_baseline |= self.extra().baseline.is_none();
    }

    /// The time until the object is applied again although nothing has changed. `None`: it is not, or it is due already.
    pub(super) fn until_reapply(&self) -> Option<Duration> {
        let after = self.applied?.reapply_after()?;
        after.checked_sub(self.since.elapsed()).filter(|left| !left.is_zero() && !self.is_deleted)
    }

    /// The word of its status now.
    #[cfg(feature = "metrics")]
    pub(super) fn status(&self) -> &'static str {
        KnownDependent::reported(self.is_deleted, &self.extra().status).as_str()
    }
}

#[cfg(test)]
mod tests {
    use kube::api::ObjectMeta;

    use super::*;

    fn known() -> KnownDependent {
        let live = LiveObject {
            uid: "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9".to_owned(),
            resource_version: "12".to_owned(),
            applied: Some(Applied::unknown(DeletePolicy::Orphan)),
            is_deleted: false,
            has_drifted: false,
            age: Duration::ZERO,
            status: ObjectStatus::Current,
        };
        KnownDependent {
            component: Key::new(Some("a"), "shop"),
            step: "launch".into(),
            live,
            fields: Some(7),
            baseline: Some(7),
            since: Instant::now(),
            finalizers: Vec::new(),
            content: None,
            annotated: None,
            is_former: false,
            owns_replicas: false,
        }
    }

    /// Checks that the entry contains all of the dependent, and returns whether it has an [`Extra`].
    fn has_extra(known: KnownDependent) -> bool {
        let before = format!("{known:?}");
        let component = Arc::new(known.component.clone());
        let entry = Entry::new(known, component, 1);
        assert_eq!(format!("{:?}", entry.known()), before);
        entry.extra.is_some()
    }

    #[test]
    fn an_applied_dependent_that_is_current_needs_no_extra() {
        assert!(!has_extra(known()));
        assert!(!has_extra(KnownDependent { baseline: None, ..known() }));
        assert!(!has_extra(KnownDependent { is_former: true, owns_replicas: true, ..known() }));
        assert!(!has_extra(KnownDependent { baseline: None, fields: None, ..known() }));
        let live = LiveObject { uid: "1".to_owned(), resource_version: "a".to_owned(), ..known().live };
        assert!(!has_extra(KnownDependent { live, ..known() }));
    }

    #[test]
    fn an_entry_contains_the_rare_fields() {
        let status = ObjectStatus::Failed("no image".to_owned());
        assert!(has_extra(KnownDependent { live: LiveObject { status, ..known().live }, ..known() }));
        assert!(has_extra(KnownDependent { fields: None, ..known() }));
        assert!(has_extra(KnownDependent { fields: Some(8), ..known() }));
        assert!(has_extra(KnownDependent { finalizers: vec!["a.io/b".to_owned()], ..known() }));
        let object = DynamicObject { types: None, metadata: ObjectMeta::default(), data: true.into() };
        assert!(has_extra(KnownDependent { content: Some(Arc::new(object)), ..known() }));
        assert!(has_extra(KnownDependent { annotated: Some(Ok(DeletePolicy::Delete)), ..known() }));
        assert!(has_extra(KnownDependent { annotated: Some(Err("no policy".to_owned())), ..known() }));
    }

    #[test]
    fn an_entry_has_the_uid_of_its_object_only() {
        for uid in ["0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", "1", ""] {
            let live = LiveObject { uid: uid.to_owned(), ..known().live };
            let entry = Entry::new(KnownDependent { live, ..known() }, Arc::new(known().component), 1);
            assert!(entry.has_uid(uid));
            assert!(!entry.has_uid("0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f0"));
        }
    }
}
