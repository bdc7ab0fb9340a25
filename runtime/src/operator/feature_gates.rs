//! Feature gates of the author's program: declared with a stage and a default, set by a flag, read by steps.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::error::{Error, Reason, Result};

/// The stage of a feature, as in Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// New, off by default.
    Alpha,
    /// On by default.
    Beta,
    /// Always on; the gate remains for a while so that flags that name it are accepted.
    Stable,
    /// Off by default, and to be removed.
    Deprecated,
}

impl Stage {
    /// The stage as Kubernetes writes it: `ALPHA`, `BETA`, `GA` or `DEPRECATED`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Alpha => "ALPHA",
            Self::Beta => "BETA",
            Self::Stable => "GA",
            Self::Deprecated => "DEPRECATED",
        }
    }

    const fn default_value(self) -> bool {
        matches!(self, Self::Beta | Self::Stable)
    }
}

/// A feature gate: a name and a stage, from which the default follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FeatureGate {
    name: &'static str,
    stage: Stage,
}

impl FeatureGate {
    /// A gate that is off by default.
    #[must_use]
    pub const fn alpha(name: &'static str) -> Self {
        Self { name, stage: Stage::Alpha }
    }

    /// A gate that is on by default.
    #[must_use]
    pub const fn beta(name: &'static str) -> Self {
        Self { name, stage: Stage::Beta }
    }

    /// A gate that is on and cannot be turned off.
    #[must_use]
    pub const fn stable(name: &'static str) -> Self {
        Self { name, stage: Stage::Stable }
    }

    /// A gate of a feature that will be removed. It is off by default.
    #[must_use]
    pub const fn deprecated(name: &'static str) -> Self {
        Self { name, stage: Stage::Deprecated }
    }

    /// The name, as `--feature-gates` takes it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The stage.
    #[must_use]
    pub const fn stage(&self) -> Stage {
        self.stage
    }
}

/// For `--help`: `FastClone=true|false (ALPHA - default=false)`.
impl fmt::Display for FeatureGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, stage } = self;
        write!(f, "{name}=true|false ({} - default={})", stage.as_str(), stage.default_value())
    }
}

/// The feature gates of a program. Clones share the values, so a step takes them as a dependency.
///
/// ```
/// use evenkeel::{FeatureGate, FeatureGates, Operator};
///
/// const FAST_CLONE: FeatureGate = FeatureGate::alpha("FastClone");
///
/// let gates = FeatureGates::new([FAST_CLONE]);
/// // A reconciler gets `gates.clone()` as a dependency; its steps call `gates.enabled(FAST_CLONE)`.
/// let operator = Operator::new("mirror").feature_gates(&gates);
/// assert!(!gates.enabled(FAST_CLONE));
/// ```
#[derive(Clone, Debug, Default)]
pub struct FeatureGates {
    declared: Arc<[FeatureGate]>,
    /// The values of the flag; set once, at the start.
    given: Arc<OnceLock<BTreeMap<&'static str, bool>>>,
}

impl FeatureGates {
    /// Declares the gates of a program.
    pub fn new(gates: impl IntoIterator<Item = FeatureGate>) -> Self {
        Self { declared: gates.into_iter().collect(), given: Arc::default() }
    }

    /// Whether the feature is enabled: by `--feature-gates`, or by default.
    #[must_use]
    pub fn enabled(&self, gate: FeatureGate) -> bool {
        let given = self.given.get().and_then(|given| given.get(gate.name));
        given.copied().unwrap_or(gate.stage.default_value())
    }

    /// Sets the gates, as `--feature-gates` does: `FastClone=true,OldFormat=false`. They can be set once.
    ///
    /// # Errors
    /// A gate is unknown, a value is neither `true` nor `false`, a stable gate would be turned off, or the gates were
    /// already set.
    pub fn set(&self, text: &str) -> Result {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let given = entries.map(|entry| self.parse(entry)).collect::<Result<BTreeMap<_, _>>>()?;
        self.given.set(given).map_err(|_| {
            let headline = format!("the feature gates `{text}` come too late: they are already set");
            Error::new(Reason::Setup, headline, "set them once, before the operator starts")
        })
    }

    fn parse(&self, entry: &str) -> Result<(&'static str, bool)> {
        let wrong = |headline: String, help: String| Err(Error::new(Reason::Config, headline, help));
        let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
        let Some(gate) = self.declared.iter().find(|gate| gate.name == name.trim()) else {
            let known: Vec<_> = self.declared.iter().map(|gate| gate.name).collect();
            let help = if known.is_empty() {
                "the program declares no feature gates".into()
            } else {
                format!("known feature gates: {}", known.join(", "))
            };
            return wrong(format!("the feature gate `{name}` is unknown"), help);
        };
        match value.trim() {
            "false" if gate.stage == Stage::Stable => wrong(
                format!("the feature gate `{name}` cannot be turned off: its feature is stable"),
                format!("remove `{entry}` from `--feature-gates`"),
            ),
            value @ ("true" | "false") => Ok((gate.name, value == "true")),
            other => wrong(
                format!("the value `{other}` of the feature gate `{name}` is invalid"),
                format!("write `{name}=true` or `{name}=false`"),
            ),
        }
    }

    /// The declared gates with their values.
    #[cfg(feature = "metrics")]
    pub(super) fn all(&self) -> impl Iterator<Item = (FeatureGate, bool)> + '_ {
        self.declared.iter().map(|gate| (*gate, self.enabled(*gate)))
    }

    /// The lines of `--help`; `None` if there are no gates.
    #[cfg(feature = "cli")]
    pub(super) fn help(&self) -> Option<String> {
        let lines: Vec<_> = self.declared.iter().map(ToString::to_string).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The values that differ from their defaults, as a text; empty if there are none. A change runs each object once.
    pub(super) fn changed(&self) -> String {
        let gates = self.declared.iter().filter(|gate| self.enabled(**gate) != gate.stage.default_value());
        let mut changed: Vec<_> = gates.map(|gate| format!("{}={}", gate.name, self.enabled(*gate))).collect();
        changed.sort();
        changed.join(",")
    }

    /// Logs the values that are set for features that are stable or deprecated.
    pub(super) fn warn(&self) {
        for (name, value) in self.given.get().into_iter().flatten() {
            let gate = self.declared.iter().find(|gate| gate.name == *name);
            if let Some(stage @ (Stage::Stable | Stage::Deprecated)) = gate.map(|gate| gate.stage) {
                let stage = stage.as_str();
                tracing::warn!(gate = name, value, stage, "a later release will remove this feature gate");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: FeatureGate = FeatureGate::alpha("Fast");
    const SAFE: FeatureGate = FeatureGate::beta("Safe");
    const DONE: FeatureGate = FeatureGate::stable("Done");
    const OLD: FeatureGate = FeatureGate::deprecated("Old");

    fn gates() -> FeatureGates {
        FeatureGates::new([FAST, SAFE, DONE, OLD])
    }

    #[test]
    fn a_value_wins_over_the_default_of_the_stage() {
        let gates = gates();
        assert_eq!([FAST, SAFE, DONE, OLD].map(|gate| gates.enabled(gate)), [false, true, true, false]);
        assert_eq!(gates.changed(), "");
        gates.set("Safe=false, Fast=true,Done=true,").unwrap();
        assert_eq!([FAST, SAFE, DONE, OLD].map(|gate| gates.clone().enabled(gate)), [true, false, true, false]);
        assert_eq!(gates.changed(), "Fast=true,Safe=false");
        assert!(gates.set("Fast=false").unwrap_err().to_string().contains("already set"));
    }

    #[test]
    fn a_wrong_entry_names_the_gate_and_the_fix() {
        for (entry, headline, help) in [
            ("Fats=true", "`Fats` is unknown", "Fast, Safe, Done, Old"),
            ("Fast", "value `` of the feature gate `Fast`", "write `Fast=true`"),
            ("Fast=yes", "value `yes`", "`Fast=false`"),
            ("Done=false", "`Done` cannot be turned off", "remove `Done=false`"),
        ] {
            let error = gates().set(entry).unwrap_err().to_string();
            assert!(error.contains(headline) && error.contains(help), "{error}");
        }
        assert!(FeatureGates::default().set("A=true").unwrap_err().to_string().contains("declares no feature gates"));
    }

    #[test]
    fn help_shows_stage_and_default() {
        assert_eq!(FAST.to_string(), "Fast=true|false (ALPHA - default=false)");
        assert_eq!(DONE.to_string(), "Done=true|false (GA - default=true)");
    }
}
