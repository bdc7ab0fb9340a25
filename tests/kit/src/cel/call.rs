//! Resolves a call to an overload of a function.

use kube_cel::cel::common::ast::{CallExpr, Expr, LiteralValue};

use super::check::{Checker, fits, undeclared};
use super::cost::of_call;
use super::found::Found;
use super::found::Span;
use super::signature::{self, Signature};
use super::types::{Sized, Type};

impl Checker {
    pub(super) fn call(&mut self, id: u64, call: &CallExpr) -> Found {
        if call.func_name == "_?._" {
            return self.optional_select(id, call);
        }
        let library = self.library(call);
        let target = call.target.as_deref().filter(|_| library.is_none()).map(|target| self.infer(target));
        let could_mix = self.may_mix;
        self.may_mix |= call.func_name == "format";
        let args: Vec<Found> = call.args.iter().map(|arg| self.infer(arg)).collect();
        self.may_mix = could_mix;
        let name = library.as_deref().unwrap_or(&call.func_name);
        let known = signature::of(alike(name));
        if known.is_empty() {
            return self.refuse(id, undeclared(name));
        }
        let results: Vec<Sized> = known.iter().filter_map(|one| applied(one, target.as_ref(), &args)).collect();
        let Some(first) = results.first().cloned() else {
            return self.refuse(id, unmatched(name, target.as_ref(), &args));
        };
        let is_one = results.iter().all(|result| result.kind == first.kind);
        let result = if is_one { first } else { Sized::unknown(Type::Dyn) };
        costed(alike(name), &result, target.as_ref(), &args)
    }

    /// The name of a library function, such as `math.abs` in `math.abs(x)`, unless a variable has the name of the library.
    fn library(&self, call: &CallExpr) -> Option<String> {
        let Some(Expr::Ident(prefix)) = call.target.as_deref().map(|target| &target.expr) else { return None };
        let name = format!("{prefix}.{}", call.func_name);
        (self.variable(prefix).is_none() && !signature::of(&name).is_empty()).then_some(name)
    }

    /// Checks `a.?b`.
    fn optional_select(&mut self, id: u64, call: &CallExpr) -> Found {
        let [operand, field] = call.args.as_slice() else { return Found::refused() };
        let operand = self.infer(operand);
        let Expr::Literal(LiteralValue::String(field)) = &field.expr else { return Found::refused() };
        let Some(found) = self.member(id, &operand, field.inner()) else { return Found::refused() };
        let kind = match found.kind {
            optional @ Type::Optional(_) => optional,
            _ => Type::Optional(Box::new(found.as_sized())),
        };
        Found::new(kind, None, operand.cost.plus(Span::exactly(1)))
    }
}

/// All comparison operators have the same overloads.
fn alike(name: &str) -> &str {
    if matches!(name, "_<=_" | "_>_" | "_>=_") { "_<_" } else { name }
}

fn costed(name: &str, result: &Sized, target: Option<&Found>, args: &[Found]) -> Found {
    let nothing = Span::exactly(0);
    let all = args.iter().fold(target.map_or(nothing, |target| target.cost), |sum, arg| sum.plus(arg.cost));
    let kind = result.kind.clone();
    match (name, args) {
        ("_&&_" | "_||_", [left, _]) => Found::new(kind, None, Span { min: left.cost.min, max: all.max }),
        ("_?_:_", [cond, yes, no]) => {
            let size = yes.size_or_unknown().or(no.size_or_unknown());
            Found::new(kind, Some(size), cond.cost.plus(yes.cost.or(no.cost)))
        }
        ("dyn", [arg]) => Found::new(kind, arg.size, all.plus(Span::exactly(1))),
        _ => {
            let (own, size) = of_call(name, target, args);
            let by_schema = || (result.max != u64::MAX).then(|| Span::up_to(result.max));
            let is_step = matches!(name, "_[_]");
            let size = size.or_else(|| by_schema().filter(|_| is_step));
            let is_stored = name == "_[_]" && args.first().is_some_and(|list| list.is_stored);
            Found::new(kind, size, all.plus(own)).stored(is_stored)
        }
    }
}

fn unmatched(name: &str, target: Option<&Found>, args: &[Found]) -> String {
    let target = target.map(|target| format!("{}.", target.kind)).unwrap_or_default();
    let args: Vec<String> = args.iter().map(|arg| arg.kind.to_string()).collect();
    format!("found no matching overload for '{name}' applied to '{target}({})'", args.join(", "))
}

/// The result of the overload for these arguments; `None` if they do not match.
fn applied(one: &Signature, target: Option<&Found>, args: &[Found]) -> Option<Sized> {
    let mut bound = Vec::new();
    if one.target.is_some() != target.is_some() || one.args.len() != args.len() {
        return None;
    }
    let wanted = one.target.iter().chain(&one.args);
    let given = target.into_iter().chain(args);
    for (wanted, given) in wanted.zip(given) {
        if !unified(wanted, &given.as_sized(), &mut bound) {
            return None;
        }
    }
    Some(substituted(&Sized::unknown(one.result.clone()), &bound))
}

type Bound = Vec<(char, Sized)>;

fn unified(wanted: &Type, given: &Sized, bound: &mut Bound) -> bool {
    match (wanted, &given.kind) {
        (Type::Param(name), _) => bind(*name, given, bound),
        (_, Type::Dyn | Type::Free) | (Type::Dyn, _) => true,
        (Type::List(wanted), Type::List(given)) | (Type::Optional(wanted), Type::Optional(given)) => {
            unified(&wanted.kind, given, bound)
        }
        (Type::Map(key, value), Type::Map(given_key, given_value)) => {
            unified(&key.kind, given_key, bound) && unified(&value.kind, given_value, bound)
        }
        (wanted, given) => fits(wanted, given),
    }
}

fn bind(name: char, given: &Sized, bound: &mut Bound) -> bool {
    let Some((_, known)) = bound.iter_mut().find(|(known, _)| *known == name) else {
        bound.push((name, given.clone()));
        return true;
    };
    let fits = fits(&known.kind, &given.kind);
    if fits && is_open(&known.kind) {
        *known = given.clone();
    } else {
        known.max = known.max.max(given.max);
    }
    fits
}

/// Whether the type is not completely known, such as a list with unknown items.
fn is_open(kind: &Type) -> bool {
    match kind {
        Type::Free | Type::Null => true,
        Type::List(inner) | Type::Optional(inner) => is_open(&inner.kind),
        _ => false,
    }
}

fn substituted(sized: &Sized, bound: &Bound) -> Sized {
    let inner = |inner: &Sized| Box::new(substituted(inner, bound));
    match &sized.kind {
        Type::Param(name) => {
            let found = bound.iter().find(|(known, _)| known == name).map(|(_, sized)| sized.clone());
            found.unwrap_or_else(|| Sized::unknown(Type::Free))
        }
        Type::List(item) => Sized { kind: Type::List(inner(item)), ..*sized },
        Type::Optional(some) => Sized { kind: Type::Optional(inner(some)), ..*sized },
        Type::Map(key, value) => Sized { kind: Type::Map(inner(key), inner(value)), ..*sized },
        _ => sized.clone(),
    }
}
