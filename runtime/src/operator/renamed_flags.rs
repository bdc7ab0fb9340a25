//! Commands and flags that were renamed, for the errors of the command line.

use clap::error::{ContextKind, ContextValue};

/// Commands and flags that had other names.
const RENAMED: [(&str, &str); 2] = [("--grace", "--shutdown-timeout"), ("rights", "rbac")];

/// The error, with the new name of a command or flag that was renamed.
pub(super) fn renamed(mut error: clap::Error) -> clap::Error {
    let unknown = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand].into_iter().find_map(|kind| {
        let Some(ContextValue::String(word)) = error.get(kind) else { return None };
        RENAMED.iter().find(|(old, _)| old == word)
    });
    if let Some((old, new)) = unknown {
        let tip = ContextValue::StyledStrs(vec![format!("`{old}` is called `{new}` now").into()]);
        for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand] {
            error.remove(kind);
        }
        error.insert(ContextKind::Suggested, tip);
    }
    error
}
