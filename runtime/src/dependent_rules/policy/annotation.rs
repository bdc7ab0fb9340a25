//! The annotations of a manifest that override the policies of its component.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;

use super::settings::Overrides;
use super::words::DeletePolicy;
use crate::dependency::StatusHints;
use crate::interval::{Interval, LONGEST, SHORTEST};

/// The prefix of the annotations.
pub const PREFIX: &str = "evenkeel.dev";

const NAMES: [&str; 9] = [
    "adoption-policy",
    "reconcile-policy",
    "update-policy",
    "delete-policy",
    "apply-order",
    "delete-order",
    "purge-order",
    "reapply-interval",
    "status-hint",
];

/// Annotations that evenkeel reads in the objects of its own reconcilers; a dependent may be one.
const OF_RECONCILED_OBJECTS: [&str; 4] = ["operator-namespace", "requestedAt", "suspend", "policy"];

/// The names of labels and annotations that evenkeel writes. A manifest that was exported from a cluster may have them.
const MARKS: [&str; 6] = ["operator", "dependent-of", "owner", "applied", "orphaned-from", "namespace-for"];

/// The error for an annotation that has no effect as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidAnnotation {
    /// The annotation with its prefix.
    pub annotation: String,
    /// What is wrong, and what to write.
    pub problem: String,
}

impl fmt::Display for InvalidAnnotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "annotation {}: {}", self.annotation, self.problem)
    }
}

impl std::error::Error for InvalidAnnotation {}

/// The annotations of one manifest.
#[derive(Clone, Copy, Debug)]
pub struct Annotations<'a> {
    all: &'a BTreeMap<String, String>,
    /// A prefix that is read in addition to [`PREFIX`].
    prefix: Option<&'a str>,
}

impl<'a> Annotations<'a> {
    /// The annotations of a manifest, under [`PREFIX`] and under `prefix`.
    #[must_use]
    pub fn new(all: &'a BTreeMap<String, String>, prefix: Option<&'a str>) -> Self {
        Self { all, prefix }
    }

    /// Parses the overrides.
    ///
    /// # Errors
    /// A value is not one of its annotation, both prefixes have different values, or the name under [`PREFIX`] is unknown. Names under the
    /// other prefix may be annotations of another tool, so they are ignored.
    pub fn overrides(&self) -> Result<Overrides, InvalidAnnotation> {
        self.check_names()?;
        Ok(Overrides {
            adoption: self.parsed("adoption-policy")?,
            reconcile: self.parsed("reconcile-policy")?,
            update: self.unless_default("update-policy")?,
            delete: self.delete_policy()?,
            apply_order: self.order("apply-order")?,
            delete_order: self.order("delete-order")?,
            purge_order: self.order("purge-order")?,
            reapply: self.reapply()?,
            hints: self.hints()?,
        })
    }

    /// Whether the annotation is a setting, which has no effect on the object itself.
    #[must_use]
    pub fn is_setting(&self, annotation: &str) -> bool {
        let name = annotation.split_once('/').filter(|(prefix, _)| *prefix == PREFIX || Some(*prefix) == self.prefix);
        name.is_some_and(|(_, name)| NAMES.contains(&name))
    }

    /// Whether evenkeel writes the label or the annotation itself.
    #[must_use]
    pub fn is_mark(key: &str) -> bool {
        key.split_once('/').is_some_and(|(prefix, name)| prefix == PREFIX && MARKS.contains(&name))
    }

    /// The hints for the status of the object.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn hints(&self) -> Result<Option<StatusHints>, InvalidAnnotation> {
        self.parsed("status-hint")
    }

    /// The delete policy of the object.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn delete_policy(&self) -> Result<Option<DeletePolicy>, InvalidAnnotation> {
        self.unless_default("delete-policy")
    }

    fn check_names(&self) -> Result<(), InvalidAnnotation> {
        let known = |name: &str| [&NAMES[..], &OF_RECONCILED_OBJECTS, &MARKS].iter().any(|all| all.contains(&name));
        let own = self.all.keys().filter_map(|key| key.strip_prefix(PREFIX)?.strip_prefix('/'));
        match own.into_iter().find(|name| !known(name)) {
            None => Ok(()),
            Some(name) => Err(InvalidAnnotation {
                annotation: format!("{PREFIX}/{name}"),
                problem: format!("it is unknown; the annotations of dependents are: {}", NAMES.join(", ")),
            }),
        }
    }

    /// The value of an annotation, and its name with the prefix.
    fn value(&self, name: &str) -> Result<Option<(String, &'a str)>, InvalidAnnotation> {
        let under = |prefix: &str| {
            let annotation = format!("{prefix}/{name}");
            let value = self.all.get(&annotation)?;
            Some((annotation, value.as_str()))
        };
        match (under(PREFIX), self.prefix.and_then(under)) {
            (Some((annotation, own)), Some((other, value))) if own != value => {
                Err(InvalidAnnotation { annotation, problem: format!("{other} has another value; remove one of them") })
            }
            (own, other) => Ok(own.or(other)),
        }
    }

    fn parse_with<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, InvalidAnnotation> {
        let Some((annotation, value)) = self.value(name)? else { return Ok(None) };
        parse(value).map(Some).map_err(|problem| InvalidAnnotation { annotation, problem })
    }

    fn parsed<T: FromStr<Err: fmt::Display>>(&self, name: &str) -> Result<Option<T>, InvalidAnnotation> {
        self.parse_with(name, |value| value.parse().map_err(|error: T::Err| error.to_string()))
    }

    /// `default` means unset, as in the manifests of SAP's older releases.
    fn unless_default<T: FromStr<Err: fmt::Display>>(&self, name: &str) -> Result<Option<T>, InvalidAnnotation> {
        let is_default = self.value(name)?.is_some_and(|(_, value)| value == "default");
        if is_default { Ok(None) } else { self.parsed(name) }
    }

    fn order(&self, name: &str) -> Result<Option<i16>, InvalidAnnotation> {
        let problem = |value: &str| format!("`{value}` is not a number from {} to {}", i16::MIN, i16::MAX);
        self.parse_with(name, |value| value.parse().map_err(|_| problem(value)))
    }

    fn reapply(&self) -> Result<Option<Duration>, InvalidAnnotation> {
        self.parse_with("reapply-interval", |value| {
            let duration = duration(value)
                .ok_or_else(|| format!("`{value}` is not a duration; write for example `30s`, `10m` or `1h30m`"))?;
            let is_possible = (SHORTEST..=LONGEST).contains(&duration);
            is_possible.then_some(duration).ok_or_else(|| format!("`{value}` is not between 1s and 30d"))
        })
    }
}

/// A duration as in specs (`2d`), or as Go prints it (`1.5h`).
fn duration(text: &str) -> Option<Duration> {
    let own = text.parse::<Interval>().map(Duration::from).ok();
    own.or_else(|| text.parse::<SignedDuration>().ok()?.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dependent_rules::policy::{DeletePolicy, UpdatePolicy};

    fn read(prefix: Option<&str>, all: &[(&str, &str)]) -> Result<Overrides, String> {
        let all = all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Annotations::new(&all, prefix).overrides().map_err(|error| error.to_string())
    }

    #[test]
    fn annotations_of_both_prefixes_are_read() {
        let all = [("evenkeel.dev/apply-order", "-3"), ("x.example.com/update-policy", "SsaMerge"), ("other/y", "z")];
        let expected = Overrides { apply_order: Some(-3), update: Some(UpdatePolicy::Apply), ..Overrides::default() };
        assert_eq!(read(Some("x.example.com"), &all), Ok(expected.clone()));
        assert_eq!(read(None, &all), Ok(Overrides { update: None, ..expected }));
        let twice = [("evenkeel.dev/delete-policy", "orphan"), ("x/delete-policy", "delete")];
        let error = read(Some("x"), &twice).unwrap_err();
        assert_eq!(
            error,
            "annotation evenkeel.dev/delete-policy: x/delete-policy has another value; remove one of them"
        );
    }

    #[test]
    fn default_means_unset() {
        let all = [("evenkeel.dev/delete-policy", "default"), ("evenkeel.dev/update-policy", "default")];
        assert_eq!(read(None, &all), Ok(Overrides::default()));
        assert!(read(None, &[("evenkeel.dev/adoption-policy", "default")]).is_err());
        let orphan = Overrides { delete: Some(DeletePolicy::Orphan), ..Overrides::default() };
        assert_eq!(read(None, &[("evenkeel.dev/delete-policy", "orphan")]), Ok(orphan));
    }

    #[test]
    fn durations_are_those_of_specs_and_of_go() {
        let reapply = |value| read(None, &[("evenkeel.dev/reapply-interval", value)]).map(|one| one.reapply);
        for (value, seconds) in [("2d", 172_800), ("1.5h", 5400), ("3m33s", 213), ("1h0m0s", 3600)] {
            assert_eq!(reapply(value), Ok(Some(Duration::from_secs(seconds))), "{value}");
        }
        for value in ["0s", "-5m", "10ms", "9000h", "", "never"] {
            assert!(reapply(value).is_err(), "{value}");
        }
    }

    #[test]
    fn a_misspelt_annotation_is_an_error() {
        let error = read(None, &[("evenkeel.dev/aply-order", "1")]).unwrap_err();
        assert!(error.starts_with("annotation evenkeel.dev/aply-order: it is unknown;"), "{error}");
        let known =
            [("evenkeel.dev/suspend", "true"), ("evenkeel.dev/owner", "x"), ("evenkeel.device/aply-order", "1")];
        assert_eq!(read(None, &known), Ok(Overrides::default()));
        assert_eq!(read(Some("x"), &[("x/missing-namespaces", "anything")]), Ok(Overrides::default()));
        let error = read(None, &[("evenkeel.dev/purge-order", "first")]).unwrap_err();
        assert_eq!(error, "annotation evenkeel.dev/purge-order: `first` is not a number from -32768 to 32767");
    }
}
