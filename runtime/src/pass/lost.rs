//! Status fields that the API server drops, since its CRD does not name them: reported once, and sent again seldom.

use std::time::Duration;

use kube::runtime::events::EventType;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::pending::Pending;
use super::{PassWorker, account, event};
use crate::draft::StatusIntent;
use crate::queue::{Key, Next};
use crate::rbac::plural_and_group;
use crate::reconciler::Reconciler;
use crate::schema::install;
use crate::status::{HANDLED_ACTIONS, OBSERVED_BY};

/// So many writes follow each other along the back-off curve: a CRD that has just changed is not served at once.
const WRITES: u32 = 5;
/// After that the fields are sent once in this time.
const PAUSE: Duration = Duration::from_secs(3600);

/// What the last write of a status lost.
pub(super) struct Lost {
    paths: Vec<Path>,
    writes: u32,
    at: Instant,
}

/// From the status down.
type Path = Vec<String>;

impl<R: Reconciler> PassWorker<R> {
    /// Compares the answer to a status write with what was sent. While fields are lost, no outcome counts as final, so that each
    /// restart runs the body; and they are sent again.
    pub(super) fn compare_answer(
        &self,
        key: &Key,
        object: &R::Object,
        mut sent: Pending,
        answer: &Value,
    ) -> Result<(), Next> {
        let paths = lost(&sent.intent, answer);
        let before = self.memory().get_mut(key).and_then(|memory| memory.lost.take());
        if paths.is_empty() {
            // The digest that was left out is written by the pass that follows.
            return before.map_or(Ok(()), |_| Err(Next::After(Duration::from_secs(1))));
        }
        if before.is_none() {
            self.report_lost(object, &paths);
        }
        let writes = before.map_or(0, |before| before.writes) + 1;
        let mut memory = self.memory();
        let memory = memory.entry(key.clone()).or_default();
        memory.lost = Some(Box::new(Lost { paths, writes, at: Instant::now() }));
        if writes >= WRITES {
            return Ok(());
        }
        leave_open(&mut sent.intent);
        memory.pending = Some(sent);
        Err(Next::Retry { progressed: false, at_least: None })
    }

    fn report_lost(&self, object: &R::Object, paths: &[Path]) {
        let fields: Vec<String> = paths.iter().map(|path| format!(".status.{}", path.join("."))).collect();
        let crd = plural_and_group(&self.kind.resource.plural, &self.kind.resource.group);
        let note = format!(
            "the API server dropped {}, since the CRD {crd} does not have it in {}; apply the CRD of this program: {}",
            fields.join(", "),
            self.kind.resource.version,
            install()
        );
        tracing::warn!("{note}");
        account::tells(event::event(EventType::Warning, "StatusFieldsDropped", &note), self.reference(object));
    }

    /// Whether the status differs from what was found in nothing but fields that the server drops.
    pub(super) fn is_lost(&self, key: &Key, found: &StatusIntent, intent: &StatusIntent) -> bool {
        let memory = self.memory();
        let lost = memory.get(key).and_then(|memory| memory.lost.as_deref());
        let settled = lost.filter(|lost| lost.writes >= WRITES && lost.at.elapsed() < PAUSE);
        settled.is_some_and(|lost| without(found, &lost.paths) == without(intent, &lost.paths))
    }

    /// Before a write of which fields may be lost.
    pub(super) fn expect_loss(&self, key: &Key, intent: &mut StatusIntent) {
        if self.memory().get(key).is_some_and(|memory| memory.lost.is_some()) {
            leave_open(intent);
        }
    }

    /// An object that would rest is looked at again while its status lacks fields.
    pub(super) fn while_lost(&self, key: &Key, next: Next) -> Next {
        let is_lost = self.memory().get(key).is_some_and(|memory| memory.lost.is_some());
        if is_lost && next == Next::Await { Next::After(PAUSE) } else { next }
    }
}

/// A status without a digest is not taken for a final one.
fn leave_open(intent: &mut StatusIntent) {
    if let Some(inputs) = &mut intent.observed_inputs {
        inputs.digest.clear();
    }
}

/// The fields of the status that the answer lacks.
fn lost(sent: &StatusIntent, answer: &Value) -> Vec<Path> {
    let mut found = Vec::new();
    for (name, field) in &sent.fields {
        match answer.get(name.as_ref()) {
            None => found.push(vec![name.to_string()]),
            Some(there) if there.is_object() || there.is_array() => {
                compare(&field.value(), there, &mut vec![name.to_string()], &mut found);
            }
            Some(_) => {}
        }
    }
    let is_first = sent.second.is_none();
    let ours = [
        ("conditions", !sent.conditions.is_empty()),
        ("observedGeneration", is_first && sent.observed_generation.is_some()),
        ("observedInputs", is_first && sent.observed_inputs.is_some()),
        ("lastHandledReconcileAt", is_first && sent.receipts.reconcile.is_some()),
        (HANDLED_ACTIONS, is_first && !sent.receipts.actions.is_empty()),
        (OBSERVED_BY, !is_first),
    ];
    let missing = ours.into_iter().filter(|(name, is_sent)| *is_sent && answer.get(name).is_none());
    found.extend(missing.map(|(name, _)| vec![name.to_owned()]));
    found
}

/// Null is nothing, and a list of another length is not the one that was sent.
fn compare(sent: &Value, kept: &Value, at: &mut Path, found: &mut Vec<Path>) {
    match (sent, kept) {
        (Value::Object(sent), Value::Object(kept)) => {
            for (name, value) in sent.iter().filter(|(_, value)| !value.is_null()) {
                at.push(name.clone());
                match kept.get(name) {
                    Some(there) => compare(value, there, at, found),
                    None => found.push(at.clone()),
                }
                at.pop();
            }
        }
        (Value::Array(sent), Value::Array(kept)) if sent.len() == kept.len() => {
            for (place, (value, there)) in sent.iter().zip(kept).enumerate() {
                at.push(place.to_string());
                compare(value, there, at, found);
                at.pop();
            }
        }
        _ => {}
    }
}

/// The status without these fields and without a digest.
fn without(status: &StatusIntent, paths: &[Path]) -> Value {
    let mut status = status.clone();
    leave_open(&mut status);
    let mut value = status.to_value();
    for path in paths {
        remove(&mut value, path);
    }
    value
}

fn remove(value: &mut Value, path: &[String]) {
    let Some((last, parents)) = path.split_last() else { return };
    let pointer: String =
        parents.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect();
    if let Some(fields) = value.pointer_mut(&pointer).and_then(Value::as_object_mut) {
        Map::remove(fields, last);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::condition::{Condition, Status};
    use crate::draft::Field;
    use crate::status::ObservedInputs;

    fn compared(sent: &Value, kept: &Value) -> Vec<String> {
        let mut found = Vec::new();
        compare(sent, kept, &mut Vec::new(), &mut found);
        found.into_iter().map(|path| path.join(".")).collect()
    }

    #[test]
    fn what_the_answer_lacks_is_found_at_any_depth() {
        let cases = [
            (json!({ "a": 1 }), json!({ "a": 1, "b": 2 }), vec![]),
            (json!({ "a": 1, "b": null }), json!({ "a": 2 }), vec![]),
            (json!({ "a": { "b": 1, "c": [] } }), json!({ "a": { "b": 1 } }), vec!["a.c"]),
            (json!({ "a": [{ "x": 1, "y": 2 }] }), json!({ "a": [{ "x": 1 }] }), vec!["a.0.y"]),
            (json!({ "a": [1, 2] }), json!({ "a": [1, 2, 3] }), vec![]),
        ];
        for (sent, kept, wanted) in cases {
            assert_eq!(compared(&sent, &kept), wanted, "{sent} in {kept}");
        }
    }

    fn sent(fields: Value) -> StatusIntent {
        let mut intent = StatusIntent {
            observed_generation: Some(1),
            conditions: vec![Condition::new("Ready", Status::True, "Succeeded", "")],
            observed_inputs: Some(ObservedInputs { digest: "d".into(), ..ObservedInputs::default() }),
            ..StatusIntent::empty()
        };
        let fields: Map<String, Value> = serde_json::from_value(fields).unwrap();
        intent.fields = fields.into_iter().map(|(name, value)| (name.into(), Field::of(&value))).collect();
        intent
    }

    fn lost_of(intent: &StatusIntent, answer: &Value) -> Vec<String> {
        lost(intent, answer).into_iter().map(|path| path.join(".")).collect()
    }

    #[test]
    fn what_the_server_kept_is_compared_with_every_field_that_was_sent() {
        let intent = sent(json!({ "revision": "a", "artifact": { "url": "x", "size": 1 } }));
        let whole = intent.to_value();
        assert_eq!(lost_of(&intent, &whole), Vec::<String>::new());
        let fields = ["artifact", "revision", "conditions", "observedGeneration", "observedInputs"];
        assert_eq!(lost_of(&intent, &json!({})), fields);
        for field in fields {
            let mut answer = whole.clone();
            answer.as_object_mut().unwrap().remove(field);
            assert_eq!(lost_of(&intent, &answer), [field]);
        }
        let mut answer = whole;
        answer["artifact"] = json!({ "url": "y" });
        assert_eq!(lost_of(&intent, &answer), ["artifact.size"]);
    }

    #[test]
    fn the_second_reconciler_of_a_kind_misses_its_own_part_only() {
        let mut intent = sent(json!({}));
        intent.second = Some(("other", false));
        assert_eq!(lost_of(&intent, &json!({})), ["conditions", "observedBy"]);
        assert_eq!(lost_of(&intent, &intent.to_value()), Vec::<String>::new());
    }

    #[test]
    fn statuses_are_compared_without_what_is_dropped_and_without_the_digest() {
        let (mut one, other) = (sent(json!({ "a": 1, "b": 2 })), sent(json!({ "a": 1, "b": 3 })));
        assert_ne!(without(&one, &[]), without(&other, &[]));
        assert_eq!(without(&one, &[vec!["b".into()]]), without(&other, &[vec!["b".into()]]));
        let before = without(&one, &[]);
        leave_open(&mut one);
        assert_eq!(one.observed_inputs.as_ref().unwrap().digest, "");
        assert_eq!(without(&one, &[]), before);
    }

    #[test]
    fn a_field_is_removed_at_its_path() {
        let mut value = json!({ "a": { "b/c": 1, "d": 2 }, "e": [{ "f": 1 }] });
        remove(&mut value, &["a".into(), "d".into()]);
        remove(&mut value, &["e".into(), "0".into(), "f".into()]);
        assert_eq!(value, json!({ "a": { "b/c": 1 }, "e": [{}] }));
    }
}
