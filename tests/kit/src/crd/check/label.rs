//! Errors for string fields, and validation of DNS-1035 labels.

use std::sync::LazyLock;

use regex::Regex;

use crate::schema::Cause;

/// An invalid string value, printed in quotes.
pub(super) fn invalid(field: &str, value: &str, why: &str) -> Cause {
    Cause::invalid(field, format!("{value:?}"), why)
}

/// The reason why the text is not a label that begins with a letter.
pub(super) fn label(text: &str) -> Option<String> {
    static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[a-z]([-a-z0-9]*[a-z0-9])?$").ok());
    let rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
                character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
                validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    if text.len() > 63 {
        return Some("must be no more than 63 characters".to_owned());
    }
    let fits = LABEL.as_ref().is_some_and(|label| label.is_match(text));
    (!fits).then(|| rule.to_owned())
}
