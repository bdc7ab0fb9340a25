//! The annotation of a dependent with what was applied, and what holds when it is no longer wanted.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::digest::Digest;
use crate::dependent_rules::policy::{DeletePolicy, ReconcilePolicy, Settings};
use crate::interval::LONGEST;

/// The form of manifests and digests that this version writes.
const FORM: &str = "1";

/// What was applied. It is stored in an annotation of the object, so that it is there after a restart and for another replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The digest of the content; `None`: it was written in another form, so it is unknown.
    pub content: Option<Digest>,
    /// The digest of the settings.
    pub settings: Option<Digest>,
    /// What happens when the object is no longer wanted. It is stored here, as the code or the spec that set it may be gone by then.
    pub delete: DeletePolicy,
    /// The wave in which the object was applied.
    pub wave: i16,
    /// The wave in which the object is deleted.
    pub delete_order: i16,
    /// The time after which the object is applied again although nothing has changed; `None`: never.
    pub reapply: Option<Duration>,
}

/// The annotation has another form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotApplied;

impl Applied {
    /// What is stored for an object that is applied with these settings.
    #[must_use]
    pub fn new(content: Digest, settings: Digest, of: &Settings) -> Self {
        let (content, settings) = (Some(content), Some(settings));
        let reapply = of.reapply.filter(|_| of.reconcile != ReconcilePolicy::Once);
        let reapply = reapply.map(|interval| whole_seconds(interval.as_secs()));
        Self { content, settings, delete: of.delete, wave: of.apply_order, delete_order: of.delete_order, reapply }
    }

    /// What is stored for an object of an earlier tool. Its content is unknown.
    #[must_use]
    pub const fn unknown(delete: DeletePolicy) -> Self {
        Self { content: None, settings: None, delete, wave: 0, delete_order: 0, reapply: None }
    }

    /// The time after which the object is applied again. Objects that were applied together are due at different times, up to half of the
    /// interval earlier.
    #[must_use]
    pub fn reapply_after(&self) -> Option<Duration> {
        let early = self.content.map_or(0.0, Digest::fraction) / 2.0;
        self.reapply.map(|interval| interval.mul_f64(1.0 - early))
    }
}

/// An interval as the annotation has it. Another client may have written any number.
fn whole_seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds).clamp(Duration::from_secs(1), LONGEST)
}

impl fmt::Display for Applied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unknown = || "unknown".to_owned();
        let text = |digest: Option<Digest>| digest.map_or_else(unknown, |digest| digest.to_string());
        write!(f, "{FORM} {} {}", text(self.content), text(self.settings))?;
        if self.delete != DeletePolicy::Delete {
            write!(f, " delete={}", self.delete)?;
        }
        if self.wave != 0 {
            write!(f, " wave={}", self.wave)?;
        }
        if self.delete_order != 0 {
            write!(f, " order={}", self.delete_order)?;
        }
        self.reapply.map_or(Ok(()), |interval| write!(f, " reapply={}", interval.as_secs()))
    }
}

impl FromStr for Applied {
    type Err = NotApplied;

    /// Parses the annotation. Digests of another form are unknown; what holds when the object is no longer wanted must be readable.
    fn from_str(text: &str) -> Result<Self, NotApplied> {
        let mut words = text.split(' ');
        let is_of_form = words.next().ok_or(NotApplied)? == FORM;
        let mut digest = || words.next().map(|word| Digest::parse(word).filter(|_| is_of_form)).ok_or(NotApplied);
        let (content, settings) = (digest()?, digest()?);
        let mut applied = Self { content, settings, ..Self::unknown(DeletePolicy::Delete) };
        for word in words {
            match word.split_once('=') {
                Some(("delete", policy)) => applied.delete = policy.parse().map_err(|_| NotApplied)?,
                Some(("wave", wave)) => applied.wave = wave.parse().map_err(|_| NotApplied)?,
                Some(("order", order)) => applied.delete_order = order.parse().map_err(|_| NotApplied)?,
                Some(("reapply", seconds)) => {
                    applied.reapply = Some(whole_seconds(seconds.parse().map_err(|_| NotApplied)?));
                }
                // A later version may store more.
                Some(_) if !is_of_form => {}
                _ => return Err(NotApplied),
            }
        }
        Ok(applied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_annotation_is_parsed_as_it_is_printed() {
        let digest = Digest::of_all([]);
        let with = |delete, delete_order| {
            Applied::new(digest, digest, &Settings { delete, delete_order, ..Settings::default() })
        };
        for applied in [with(DeletePolicy::Delete, 0), with(DeletePolicy::OrphanOnApply, -4)] {
            assert_eq!(applied.to_string().parse(), Ok(applied));
        }
        let reapply = Some(Duration::from_secs(3600));
        let again = Applied::new(digest, digest, &Settings { reapply, apply_order: -2, ..Settings::default() });
        assert_eq!(again.to_string(), format!("1 {digest} {digest} wave=-2 reapply=3600"));
        assert_eq!(again.to_string().parse(), Ok(again));
        assert_eq!(with(DeletePolicy::Delete, 0).to_string(), format!("1 {digest} {digest}"));
        assert!(with(DeletePolicy::Orphan, 3).to_string().ends_with(" delete=orphan order=3"));
    }

    #[test]
    fn an_interval_that_another_client_wrote_is_clamped() {
        let digest = Digest::of_all([]);
        for (seconds, expected) in [(u64::MAX, LONGEST), (0, Duration::from_secs(1))] {
            let applied: Applied = format!("1 {digest} {digest} reapply={seconds}").parse().unwrap();
            assert_eq!(applied.reapply, Some(expected));
            assert!(applied.reapply_after().is_some_and(|after| after <= expected));
        }
    }

    #[test]
    fn a_digest_of_another_form_is_unknown() {
        let digest = Digest::of_all([]);
        let later: Applied = format!("2 {digest} {digest} delete=orphan more=1").parse().unwrap();
        assert_eq!((later.content, later.settings, later.delete), (None, None, DeletePolicy::Orphan));
        assert_eq!(later.to_string(), "1 unknown unknown delete=orphan");
        for wrong in
            ["", "1", "1 x", &format!("1 {digest} {digest} more=1"), &format!("1 {digest} {digest} delete=orphn")]
        {
            assert_eq!(wrong.parse::<Applied>(), Err(NotApplied), "{wrong}");
        }
    }
}
