//! The query parameters of a request.

use std::time::Duration;

use crate::api_error::{Failure, quoted};
use crate::schema::Cause;

/// The query parameters that this server supports.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pub(crate) label_selector: Option<String>,
    pub(crate) field_selector: Option<String>,
    /// `None` if the server does not support it.
    pub(crate) shard_selector: Option<String>,
    pub(crate) limit: Option<String>,
    pub(crate) continue_token: String,
    pub(crate) resource_version: String,
    pub(crate) resource_version_match: String,
    pub(crate) watch: bool,
    pub(crate) bookmarks: bool,
    pub(crate) send_initial_events: Option<bool>,
    pub(crate) timeout_seconds: Option<String>,
    /// The time after which the server gives up the request.
    pub(crate) patience: Option<Duration>,
    pub(crate) dry_run: Vec<String>,
    pub(crate) field_manager: String,
    pub(crate) field_validation: String,
    pub(crate) force: bool,
    pub(crate) propagation_policy: Option<String>,
    pub(crate) grace_period: Option<String>,
    pub(crate) orphan_dependents: Option<bool>,
    /// The object in each row of a table: `None`, `Metadata` or `Object`.
    pub(crate) include_object: String,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        let mut query = Query::default();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            query.set(&decoded(name), decoded(value));
        }
        query
    }

    fn set(&mut self, name: &str, value: String) {
        match name {
            "labelSelector" => self.label_selector = Some(value),
            "fieldSelector" => self.field_selector = Some(value),
            "shardSelector" => self.shard_selector = Some(value),
            "limit" => self.limit = Some(value),
            "continue" => self.continue_token = value,
            "resourceVersion" => self.resource_version = value,
            "resourceVersionMatch" => self.resource_version_match = value,
            "watch" => self.watch = truthy(&value),
            "allowWatchBookmarks" => self.bookmarks = truthy(&value),
            "sendInitialEvents" => self.send_initial_events = Some(truthy(&value)),
            "timeoutSeconds" => self.timeout_seconds = Some(value),
            "timeout" => self.patience = duration(&value),
            "dryRun" => self.dry_run.push(value),
            "fieldManager" => self.field_manager = value,
            "fieldValidation" => self.field_validation = value,
            "includeObject" => self.include_object = value,
            "force" => self.force = truthy(&value),
            "propagationPolicy" => self.propagation_policy = Some(value),
            "gracePeriodSeconds" => self.grace_period = Some(value),
            "orphanDependents" => self.orphan_dependents = Some(truthy(&value)),
            _ => {}
        }
    }

    /// Returns the limit of a list, `None` if it is missing or not positive.
    pub(crate) fn limit(&self) -> Result<Option<usize>, Failure> {
        let limit = number(self.limit.as_deref())?;
        Ok(limit.and_then(|limit| usize::try_from(limit).ok()).filter(|limit| *limit > 0))
    }

    /// Returns the grace period of a deletion in seconds, `None` if it is missing.
    pub(crate) fn grace(&self) -> Result<Option<i64>, Failure> {
        number(self.grace_period.as_deref())
    }

    /// Returns the timeout of a watch in seconds, `None` if it is missing or not positive.
    pub(crate) fn timeout(&self) -> Result<Option<u64>, Failure> {
        let seconds = number(self.timeout_seconds.as_deref())?;
        Ok(seconds.and_then(|seconds| u64::try_from(seconds).ok()).filter(|seconds| *seconds > 0))
    }

    /// Returns the requested resource version, `None` if it is missing.
    pub(crate) fn version(&self) -> Result<Option<u64>, Failure> {
        if self.resource_version.is_empty() {
            return Ok(None);
        }
        parse_version(&self.resource_version).map(Some).map_err(Failure::internal)
    }

    /// Returns the errors in the options of a list.
    pub(crate) fn list_causes(&self) -> Vec<Cause> {
        let mut causes = Vec::new();
        let matched = self.resource_version_match.as_str();
        let mut forbid = |field: &str, why: &str| causes.push(Cause::forbidden(field, why));
        if self.send_initial_events.is_some() {
            forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
        }
        if !matched.is_empty() {
            if self.resource_version.is_empty() {
                forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
            }
            if !self.continue_token.is_empty() {
                forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
            }
            if matched == "Exact" && self.resource_version == "0" {
                forbid("resourceVersionMatch", "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
            }
            if matched != "Exact" && matched != "NotOlderThan" {
                causes.push(Cause::unsupported(
                    "resourceVersionMatch",
                    quoted(matched),
                    &["Exact", "NotOlderThan", ""].map(str::to_owned),
                ));
            }
        }
        causes
    }

    /// Returns the errors in the options of a write.
    pub(crate) fn write_causes(&self) -> Vec<Cause> {
        let mut causes = Vec::new();
        if self.dry_run.iter().any(|value| value != "All") {
            let values = serde_json::json!(self.dry_run);
            causes.push(Cause::unsupported("dryRun", values, &["All".to_owned()]));
        }
        if self.field_manager.len() > 128 {
            causes.push(Cause {
                reason: "FieldValueTooLong".to_owned(),
                message: "Too long: may not be more than 128 bytes".to_owned(),
                field: "fieldManager".to_owned(),
            });
        }
        if let Some((at, letter)) = self.field_manager.char_indices().find(|(_, letter)| letter.is_control()) {
            let why = format!("invalid character U+{:04X} (at position {at})", u32::from(letter));
            causes.push(Cause::invalid("fieldManager", quoted(&self.field_manager), why));
        }
        if !matches!(self.field_validation.as_str(), "" | "Ignore" | "Strict" | "Warn") {
            let supported = ["", "Ignore", "Strict", "Warn"].map(str::to_owned);
            causes.push(Cause::unsupported("fieldValidation", quoted(&self.field_validation), &supported));
        }
        causes
    }

    /// Returns the errors in the options of a watch.
    pub(crate) fn watch_causes(&self) -> Vec<Cause> {
        let mut causes = Vec::new();
        let matched = self.resource_version_match.as_str();
        let field = "resourceVersionMatch";
        if self.send_initial_events.is_none() {
            if !matched.is_empty() {
                causes.push(Cause::forbidden(
                    field,
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                ));
            }
            return causes;
        }
        if matched != "NotOlderThan" {
            causes.push(Cause::forbidden(
                field,
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            ));
            if !matched.is_empty() {
                causes.push(Cause::unsupported(field, quoted(matched), &["NotOlderThan".to_owned()]));
            }
        }
        causes
    }
}

/// Parses a resource version, with the error message of Go's parser.
pub(crate) fn parse_version(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("resourceVersion: Invalid value: \"{text}\": strconv.ParseUint: parsing \"{text}\": invalid syntax")
    })
}

/// Parses a duration of whole milliseconds, seconds or minutes, such as `1500ms`.
fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|char: char| !char.is_ascii_digit())?);
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    Some(Duration::from_millis(number.parse::<u64>().ok()?.checked_mul(millis)?)).filter(|duration| !duration.is_zero())
}

fn number(text: Option<&str>) -> Result<Option<i64>, Failure> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let complaint = || Failure::bad_request(format!("strconv.ParseInt: parsing \"{text}\": invalid syntax"));
    text.parse().map(Some).map_err(|_| complaint())
}

fn truthy(value: &str) -> bool {
    !matches!(value, "false" | "0" | "False" | "f")
}

/// Decodes percent encoding and `+`.
pub(crate) fn decoded(text: &str) -> String {
    if !text.contains(['%', '+']) {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match (bytes[at], hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}
