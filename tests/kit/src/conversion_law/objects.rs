//! Random objects of a version.

use serde_json::{Value, json};

use super::side::{PARTS, Side};
use super::subject::Subject;
use crate::schema::arbitrary::{Arbitrary, Hints};

/// Attempts to draw an object that is valid and fits its type.
const ATTEMPTS: usize = 2_000;

/// Draws objects.
pub(super) struct Objects {
    arbitrary: Arbitrary,
    namespaced: bool,
    drawn: usize,
}

impl Objects {
    pub(super) fn new(subject: &Subject) -> Self {
        Self { arbitrary: Arbitrary::new(0, Hints::default()), namespaced: subject.namespaced, drawn: 0 }
    }

    /// An object that an API server stores.
    ///
    /// # Errors
    /// None was found.
    pub(super) fn one(&mut self, side: &Side) -> Result<Value, String> {
        self.drawn += 1;
        self.find(side, |arbitrary| arbitrary.value(&side.schema), &self.metadata())
    }

    /// The object with one or two changes of its spec or status, as a user makes them.
    ///
    /// # Errors
    /// None was found.
    pub(super) fn changed(&mut self, side: &Side, object: &Value) -> Result<Value, String> {
        let metadata = object["metadata"].clone();
        let change = |arbitrary: &mut Arbitrary| {
            let once = arbitrary.varied(object, &side.schema);
            let changed = arbitrary.varied(&once, &side.schema);
            // A change is one of parts that are there.
            let keeps = PARTS.iter().all(|part| changed[*part].is_null() == object[*part].is_null());
            if keeps { changed } else { object.clone() }
        };
        self.find(side, change, &metadata)
    }

    fn find(
        &mut self,
        side: &Side,
        mut draw: impl FnMut(&mut Arbitrary) -> Value,
        metadata: &Value,
    ) -> Result<Value, String> {
        let mut refused = "it does not fit its type".to_owned();
        for _ in 0..ATTEMPTS {
            let mut drawn = draw(&mut self.arbitrary);
            drawn["metadata"] = metadata.clone();
            let stored = side.stored(drawn);
            match side.invalid(&stored) {
                None if side.fits(&stored) => return Ok(stored),
                None => {}
                Some(why) => refused = why,
            }
        }
        let Side { api_version, kind, .. } = side;
        Err(format!("no random object fits {kind} ({api_version}); the last one: {refused}"))
    }

    fn metadata(&self) -> Value {
        let mut metadata = json!({
            "name": format!("object-{}", self.drawn), "uid": format!("7d-{}", self.drawn),
            "labels": { "tests.evenkeel.dev/case": self.drawn.to_string() },
        });
        if self.namespaced {
            metadata["namespace"] = json!("default");
        }
        if self.drawn.is_multiple_of(2) {
            metadata["annotations"] = json!({ "tests.evenkeel.dev/note": "a" });
        }
        metadata
    }
}
