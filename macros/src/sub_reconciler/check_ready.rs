//! Checks of `dependents(.., ready(..))`: each kind is one of the step, and is there once.

use super::keeps::Keeps;
use super::keeps_ready::{Ready, ReadyKind};
use crate::errors::Errors;
use crate::syntax::names::path_text;

pub(super) fn check_ready(keeps: &Keeps, errors: &mut Errors) {
    for (i, Ready { kind, .. }) in keeps.ready.iter().enumerate() {
        let text = text(kind);
        if keeps.ready[..i].iter().any(|earlier| self::text(&earlier.kind) == text) {
            errors.push(kind, format_args!("`{text}` is listed twice in `ready`"), "remove one of them");
        } else if !may_list(keeps, kind) {
            let help = match kind {
                ReadyKind::Type(_) => format!("add it: `dependents({text}, ..)`"),
                ReadyKind::Text { .. } => format!("add it: `kinds(\"{text}\")`"),
            };
            errors.push(kind, format_args!("`{text}` is no kind of this step"), help);
        }
    }
}

fn text(kind: &ReadyKind) -> String {
    match kind {
        ReadyKind::Type(path) => path_text(path),
        ReadyKind::Text { text, .. } => text.value(),
    }
}

/// Whether the step may keep the kind. The kinds of templates are known when their constants are evaluated.
fn may_list(keeps: &Keeps, kind: &ReadyKind) -> bool {
    match kind {
        _ if keeps.any.is_some() => true,
        ReadyKind::Type(path) => keeps.kinds.iter().any(|listed| path_text(listed) == path_text(path)),
        ReadyKind::Text { api_version, kind, .. } => !keeps.templates.is_empty() || keeps.lists(api_version, kind),
    }
}
