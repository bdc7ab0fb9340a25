//! Whether the configuration file is valid.

use super::finding::Finding;
use crate::operator::builder::Operator;

pub(super) fn check(operator: &Operator) -> Option<Finding> {
    match operator.file.verdict()? {
        Ok(path) => Some(Finding::ok("config", format!("the configuration file {} is valid", path.display()))),
        Err((text, help)) => Some(Finding::fail("config", text, help)),
    }
}
