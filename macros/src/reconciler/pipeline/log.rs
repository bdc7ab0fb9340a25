//! Log lines in a pipeline: `tracing::info!(..);`.

use syn::{Expr, Macro, Stmt};

const LEVELS: [&str; 5] = ["trace", "debug", "info", "warn", "error"];

/// A statement that logs.
pub(super) fn parse(statement: &Stmt) -> Option<&Macro> {
    let call = match statement {
        Stmt::Macro(call) => &call.mac,
        Stmt::Expr(Expr::Macro(call), _) => &call.mac,
        _ => return None,
    };
    let name = &call.path.segments.last()?.ident;
    LEVELS.iter().any(|level| name == level).then_some(call)
}
