//! What the command `doctor` found, and how it is printed.

use std::fmt;

use serde::Serialize;

/// How a check ended, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Ok,
    Info,
    /// The check could not be made.
    Unknown,
    Warn,
    Fail,
}

impl Level {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Info => "info",
            Self::Unknown => "unknown",
            Self::Warn => "WARN",
            Self::Fail => "FAIL",
        }
    }
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) level: Level,
    /// The check: `crd`, `right` or another word that stays the same.
    pub(super) check: &'static str,
    pub(super) text: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<String>,
}

impl Finding {
    pub(super) fn ok(check: &'static str, text: impl Into<String>) -> Self {
        Self { level: Level::Ok, check, text: text.into(), help: None }
    }

    pub(super) fn info(check: &'static str, text: impl Into<String>) -> Self {
        Self { level: Level::Info, ..Self::ok(check, text) }
    }

    pub(super) fn unknown(check: &'static str, text: impl Into<String>) -> Self {
        Self { level: Level::Unknown, ..Self::ok(check, text) }
    }

    pub(super) fn warn(check: &'static str, text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { level: Level::Warn, help: Some(help.into()), ..Self::ok(check, text) }
    }

    pub(super) fn fail(check: &'static str, text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { level: Level::Fail, ..Self::warn(check, text, help) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<8}{}", self.level.word(), self.text)?;
        self.help.iter().try_for_each(|help| writeln!(f, "{:<8}help: {help}", ""))
    }
}
