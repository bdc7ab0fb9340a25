//! Random pairs of objects with a request.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::case::Case;
use super::hints;
use super::subject::Subject;
use crate::schema::Structural;
use crate::schema::arbitrary::Arbitrary;

/// Attempts to draw a valid object.
const ATTEMPTS: usize = 2_000;

/// Draws cases of a rule.
pub(super) struct Cases<'s> {
    subject: &'s Subject<'s>,
    arbitrary: Arbitrary,
    drawn: usize,
}

impl<'s> Cases<'s> {
    pub(super) fn new(subject: &'s Subject<'s>) -> Self {
        let hints = hints::of(&subject.rule.declared);
        Self { subject, arbitrary: Arbitrary::new(0, hints), drawn: 0 }
    }

    /// The next case: a new object, an unchanged one, a little change, or another object.
    pub(super) fn next(&mut self) -> Result<Case, String> {
        self.drawn += 1;
        let old = (!self.drawn.is_multiple_of(4)).then(|| self.object(None)).transpose()?;
        let new = match (&old, self.drawn % 16) {
            (Some(old), 1) => old.clone(),
            (Some(_), 2 | 3) | (None, _) => self.object(None)?,
            (Some(old), _) => self.object(Some(old))?,
        };
        let request = self.request(&new, old.is_some());
        Ok(Case { new, old, request })
    }

    /// A valid object, or a variation of another one.
    fn object(&mut self, like: Option<&Value>) -> Result<Value, String> {
        let mut refused = String::new();
        for _ in 0..ATTEMPTS {
            let mut drawn = match like {
                Some(like) => {
                    let once = self.arbitrary.varied(like, &self.subject.schema);
                    self.arbitrary.varied(&once, &self.subject.schema)
                }
                None => self.arbitrary.value(&self.subject.schema),
            };
            drawn["metadata"] = self.metadata(like);
            match self.subject.stored(drawn) {
                Ok(object) => return Ok(object),
                Err(why) => refused = why,
            }
        }
        Err(format!("{}: no random object fits the kind; the last one: {refused}", self.subject.name))
    }

    fn metadata(&mut self, like: Option<&Value>) -> Value {
        match like {
            Some(like) => self.arbitrary.varied(&like["metadata"], &METADATA),
            None => self.arbitrary.value(&METADATA),
        }
    }

    fn request(&mut self, new: &Value, is_update: bool) -> Value {
        let mut request = self.arbitrary.value(&REQUEST);
        request["operation"] = json!(if is_update { "UPDATE" } else { "CREATE" });
        for name in ["name", "namespace"] {
            request[name] = new["metadata"][name].clone();
        }
        without_empty(&mut request);
        request
    }
}

/// Empty texts, lists and `false` are omitted in requests.
fn without_empty(value: &mut Value) {
    let Value::Object(map) = value else { return };
    map.values_mut().for_each(without_empty);
    map.retain(|_, value| !matches!(value, Value::Null) && *value != json!("") && *value != json!([]));
}

static METADATA: LazyLock<Structural> = LazyLock::new(|| {
    let text = || json!({ "type": "string" });
    let texts = || json!({ "type": "object", "additionalProperties": text() });
    let time = || json!({ "type": "string", "format": "date-time" });
    Structural::read(&json!({
        "type": "object",
        "required": ["name", "namespace"],
        "properties": {
            "name": { "type": "string", "minLength": 1 },
            "namespace": { "type": "string", "enum": ["default", "a"] },
            "labels": texts(),
            "annotations": texts(),
            "finalizers": { "type": "array", "items": text() },
            "generation": { "type": "integer", "minimum": 1 },
            "creationTimestamp": time(),
            "deletionTimestamp": time(),
        },
    }))
});

static REQUEST: LazyLock<Structural> = LazyLock::new(|| {
    let text = || json!({ "type": "string" });
    let groups = json!({ "type": "array", "items": text(), "x-kubernetes-list-type": "set" });
    let user =
        Map::from_iter([("username", text()), ("uid", text()), ("groups", groups)].map(|(k, v)| (k.to_owned(), v)));
    Structural::read(&json!({
        "type": "object",
        "required": ["userInfo"],
        "properties": {
            "userInfo": { "type": "object", "properties": user },
            "dryRun": { "type": "boolean" },
        },
    }))
});
