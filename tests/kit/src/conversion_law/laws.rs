//! The laws of a conversion.

use serde_json::Value;

use super::objects::Objects;
use super::places::{first, remove};
use super::side::Side;
use super::subject::Subject;

/// What holds for all objects.
#[derive(Clone, Copy, Debug)]
pub(super) enum Law {
    /// `up(down(hub)) == hub`, less what is lossy.
    HubIsUnchanged,
    /// `down(up(spoke)) == spoke`.
    SpokeIsUnchanged,
    /// `down(up(change(down(hub)))) == change(down(hub))`.
    ChangeIsReadBack,
}

impl Law {
    /// Checks the law for the next random object.
    ///
    /// # Errors
    /// It does not hold.
    pub(super) fn check(self, subject: &Subject, objects: &mut Objects) -> Result<(), String> {
        match self {
            Self::HubIsUnchanged => {
                let hub = objects.one(&subject.hub)?;
                let spoke = subject.down(&hub)?;
                self.compare(subject, &subject.hub, &hub, &subject.up(&spoke)?)
            }
            Self::SpokeIsUnchanged => {
                let spoke = objects.one(&subject.spoke)?;
                self.compare(subject, &subject.spoke, &spoke, &subject.down(&subject.up(&spoke)?)?)
            }
            Self::ChangeIsReadBack => {
                let read = subject.down(&objects.one(&subject.hub)?)?;
                let changed = objects.changed(&subject.spoke, &read)?;
                self.compare(subject, &subject.spoke, &changed, &subject.down(&subject.up(&changed)?)?)
            }
        }
    }

    fn compare(self, subject: &Subject, side: &Side, before: &Value, after: &Value) -> Result<(), String> {
        let normal = |object: &Value| {
            let mut object = side.normal(&subject.without_stash(object))?;
            if matches!(self, Self::HubIsUnchanged) {
                subject.lossy.iter().for_each(|path| remove(&mut object, path));
            }
            Ok::<_, String>(object)
        };
        let (mut before_all, mut after_all) = (normal(before)?, normal(after)?);
        if before["status"].is_null() {
            // The stored version may have a default status, which no user writes.
            [&mut before_all, &mut after_all].into_iter().for_each(|object| remove(object, &["status".to_owned()]));
        }
        let Some((path, was, is)) = first(&before_all, &after_all) else { return Ok(()) };
        let (what, help) = self.words(&path);
        let name = &subject.name;
        Err(format!("{name}: {what} at {path}\n  before: {was}\n  after: {is}\n  object: {before}\n  help: {help}"))
    }

    /// What is wrong, and what to do.
    fn words(self, path: &str) -> (&'static str, String) {
        match self {
            Self::HubIsUnchanged => (
                "`up(down(hub))` differs from the stored object",
                format!("convert {path} in both directions, keep it by `stash`, or declare `lossy({path})`"),
            ),
            Self::SpokeIsUnchanged => (
                "`down(up(spoke))` differs from what was written",
                format!("give the stored version a field for {path}, and convert it in both directions"),
            ),
            Self::ChangeIsReadBack => (
                "a change of an object that was read before is not read back",
                format!("let `up` and `down` convert {path} independently of what else the object has"),
            ),
        }
    }
}
