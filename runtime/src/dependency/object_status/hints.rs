//! Hints for the status of an object: what its controller always sets.

use std::fmt;
use std::str::FromStr;

use super::parts::Observed;

/// What the controller of a kind always sets. Without hints an object without conditions counts as current as soon as it exists.
///
/// The text form is a list with commas: `has-observed-generation`, `has-ready-condition`, and `conditions=A;B` for conditions that must be
/// True. The source is the annotation `status-hint` of the component operator of SAP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusHints {
    pub(super) has_observed_generation: bool,
    has_ready_condition: bool,
    conditions: Vec<String>,
}

/// The error for a text that is not a list of [`StatusHints`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidStatusHint(String);

impl fmt::Display for InvalidStatusHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = "write `has-observed-generation`, `has-ready-condition` or `conditions=A;B`";
        write!(f, "`{}` is not a status hint: {known}", self.0)
    }
}

impl std::error::Error for InvalidStatusHint {}

impl FromStr for StatusHints {
    type Err = InvalidStatusHint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut hints = Self::default();
        for hint in text.split(',').map(str::trim).filter(|hint| !hint.is_empty()) {
            let invalid = || InvalidStatusHint(hint.to_owned());
            match hint.split_once('=') {
                None if hint == "has-observed-generation" => hints.has_observed_generation = true,
                None if hint == "has-ready-condition" => hints.has_ready_condition = true,
                Some(("conditions", types)) => {
                    let types: Vec<_> = types.split(';').map(str::trim).map(ToOwned::to_owned).collect();
                    if types.iter().any(String::is_empty) {
                        return Err(invalid());
                    }
                    hints.conditions.extend(types);
                }
                _ => return Err(invalid()),
            }
        }
        Ok(hints)
    }
}

impl fmt::Display for StatusHints {
    /// The text from which they are parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let generation = self.has_observed_generation.then(|| "has-observed-generation".to_owned());
        let ready = self.has_ready_condition.then(|| "has-ready-condition".to_owned());
        let conditions = (!self.conditions.is_empty()).then(|| format!("conditions={}", self.conditions.join(";")));
        let all: Vec<String> = [generation, ready, conditions].into_iter().flatten().collect();
        f.write_str(&all.join(","))
    }
}

impl StatusHints {
    /// The condition that the object should have and does not have yet.
    pub(super) fn missing(&self, object: Observed<'_>) -> Option<String> {
        if self.has_ready_condition && object.condition("Ready").is_none() {
            return Some("it has no condition Ready yet".into());
        }
        let missing = self.conditions.iter().find(|type_| !object.has(type_, "True"))?;
        Some(match object.condition(missing) {
            Some(_) => format!("{missing} is not True"),
            None => format!("it has no condition {missing} yet"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dependency::object_status;

    #[test]
    fn hints_are_written_as_they_are_read() {
        let text = "has-observed-generation,has-ready-condition,conditions=A;B";
        assert_eq!(text.parse::<StatusHints>().unwrap().to_string(), text);
        assert_eq!(StatusHints::default().to_string(), "");
    }

    #[test]
    fn an_unknown_hint_names_the_known_ones() {
        for text in ["no-such-hint", "has-ready-condition=x", "conditions", "conditions=", "conditions=A;;B"] {
            let error = StatusHints::from_str(text).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("`conditions=A;B`"), "{error}");
        }
        assert_eq!(StatusHints::from_str(" "), Ok(StatusHints::default()));
    }

    #[test]
    fn all_listed_conditions_must_be_true() {
        let hints: StatusHints = "conditions=Synced;Issued, conditions=Live".parse().unwrap();
        let with = |conditions: &[(&str, &str)]| {
            let list = conditions.iter().map(|(type_, status)| json!({ "type": type_, "status": status }));
            object_status(&json!({ "status": { "conditions": list.collect::<Vec<_>>() } }), &hints).to_string()
        };
        assert_eq!(with(&[("Synced", "True"), ("Issued", "True"), ("Live", "True")]), "it is current");
        assert_eq!(with(&[("Synced", "True"), ("Issued", "False"), ("Live", "True")]), "Issued is not True");
        assert_eq!(with(&[("Synced", "True"), ("Issued", "True")]), "it has no condition Live yet");
    }
}
