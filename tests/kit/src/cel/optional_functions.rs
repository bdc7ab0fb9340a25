//! The functions of optional values.

use std::sync::Arc;

use kube_cel::cel::common::ast::{CallExpr, IdedExpr};
use kube_cel::cel::{ExecutionError, ResolveResult, Value as Cel};

use super::eval::Run;
use super::list::items;
use super::optional::{held, made};

/// Evaluates a function of optional values; `None` for other functions.
pub(super) fn applied(name: &str, values: &[Cel]) -> Option<ResolveResult> {
    Some(match (name, values) {
        ("optional.of", [value]) => Ok(made(Some(value.clone()))),
        ("optional.none", []) => Ok(made(None)),
        ("optional.ofNonZeroValue", [value]) => Ok(made(Some(value.clone()).filter(|value| !is_zero(value)))),
        ("optional.unwrap" | "unwrapOpt", [list]) => unwrapped(list),
        ("hasValue", [value]) => {
            held(value).map(|held| Cel::Bool(held.is_some())).ok_or(ExecutionError::NoSuchOverload)
        }
        ("value", [value]) => match held(value) {
            Some(Some(value)) => Ok(value.clone()),
            Some(None) => Err(ExecutionError::function_error("value", "optional.none() dereference")),
            None => Err(ExecutionError::NoSuchOverload),
        },
        _ => return None,
    })
}

fn is_zero(value: &Cel) -> bool {
    items(value).map_or_else(|| value.is_zero(), |items| items.is_empty())
}

fn unwrapped(list: &Cel) -> ResolveResult {
    let items = items(list).ok_or(ExecutionError::NoSuchOverload)?;
    let mut out = Vec::new();
    for item in items.iter() {
        out.extend(held(item).ok_or(ExecutionError::NoSuchOverload)?.cloned());
    }
    Ok(Cel::List(Arc::new(out)))
}

impl<'e> Run<'e> {
    /// Evaluates `a.or(b)` and `a.orValue(b)`; `b` is evaluated only if `a` is empty.
    pub(super) fn otherwise(&mut self, call: &'e CallExpr, target: &'e IdedExpr, other: &'e IdedExpr) -> ResolveResult {
        let first = self.eval(target)?;
        match held(&first).ok_or(ExecutionError::NoSuchOverload)? {
            None => self.eval(other),
            Some(value) if call.func_name == "orValue" => Ok(value.clone()),
            Some(_) => Ok(first),
        }
    }
}
