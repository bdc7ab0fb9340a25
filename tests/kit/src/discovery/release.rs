//! The Kubernetes release that a server reports.

use std::env::consts;

use serde_json::{Value, json};

use crate::apply::Rules;
use crate::registry::Kind;

/// The Kubernetes release whose rules a server follows and whose version it reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The minor version, such as 36 for 1.36. Wrappers of kubectl choose the client version by it.
    pub minor: u16,
}

impl Default for Release {
    /// The release of the recorded cases.
    fn default() -> Self {
        Self { minor: 36 }
    }
}

impl Release {
    /// The rules of field ownership.
    #[must_use]
    pub fn rules(&self) -> Rules {
        if self.minor < 22 { Rules::Before122 } else { Rules::Today }
    }

    /// Whether an apply that creates such an object must not contain a resourceVersion. Early releases created Services differently.
    pub(crate) fn refuses_versions(self, kind: &Kind) -> bool {
        self.minor < 23 && kind.group.is_empty() && kind.kind == "Service"
    }

    /// `/version`.
    #[must_use]
    pub fn document(&self) -> Value {
        let minor = self.minor.to_string();
        json!({
            "major": "1",
            "minor": minor,
            "gitVersion": format!("v1.{minor}.0+evenkeel"),
            "gitCommit": "",
            "gitTreeState": "",
            "buildDate": "1970-01-01T00:00:00Z",
            "goVersion": "",
            "compiler": "rustc",
            "platform": format!("{}/{}", consts::OS, architecture()),
        })
    }
}

/// The CPU architecture in Go's notation.
fn architecture() -> &'static str {
    match consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}
