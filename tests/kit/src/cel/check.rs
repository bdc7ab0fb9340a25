//! The type checker: infers the type and the cost of an expression, or reports its errors.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube_cel::cel::common::ast::{
    ComprehensionExpr, EntryExpr, Expr, IdedEntryExpr, IdedExpr, ListExpr, LiteralValue, SelectExpr,
};

use super::found::{Found, Mistake, Span};
use super::types::{Sized, Type};

/// Checks an expression that uses these variables.
///
/// # Errors
/// Returns all errors in the order of the text.
pub(super) fn check(expr: &IdedExpr, variables: Vec<(String, Sized)>) -> Result<Found, Vec<Mistake>> {
    let variable = |sized: &Sized| Found::sized(sized, Span::exactly(1)).stored(true);
    let scope = variables.into_iter().map(|(name, sized)| (name, variable(&sized))).collect();
    let mut checker = Checker { scope, mistakes: Vec::new(), mixtures: Vec::new(), may_mix: false };
    let found = checker.infer(expr);
    // A server reports mixed types only if there are no other errors.
    let mistakes = if checker.mistakes.is_empty() { checker.mixtures } else { checker.mistakes };
    if mistakes.is_empty() { Ok(found) } else { Err(mistakes) }
}

pub(super) struct Checker {
    scope: Vec<(String, Found)>,
    mistakes: Vec<Mistake>,
    /// Errors for lists and maps with mixed types.
    mixtures: Vec<Mistake>,
    /// Whether mixed types are allowed, as in the arguments of `format`.
    pub(super) may_mix: bool,
}

impl Checker {
    pub(super) fn refuse(&mut self, id: u64, why: String) -> Found {
        self.mistakes.push((id, why));
        Found::refused()
    }

    fn mixed(&mut self, id: u64, why: String) {
        if !self.may_mix {
            self.mixtures.push((id, why));
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Found> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, found)| found)
    }

    pub(super) fn infer(&mut self, expr: &IdedExpr) -> Found {
        match &expr.expr {
            Expr::Literal(literal) => constant(literal),
            Expr::Ident(name) => self.ident(expr.id, name),
            Expr::Select(select) => self.select(expr.id, select),
            Expr::Call(call) => self.call(expr.id, call),
            Expr::List(list) => self.list(list),
            Expr::Map(map) => self.map(&map.entries),
            Expr::Comprehension(fold) => self.fold(fold),
            Expr::Struct(of) => self.refuse(expr.id, undeclared(&of.type_name)),
            Expr::Unspecified => self.refuse(expr.id, "an empty expression".to_owned()),
        }
    }

    fn ident(&mut self, id: u64, name: &str) -> Found {
        if let Some(found) = self.variable(name) {
            return found.clone();
        }
        match type_named(name) {
            Some(kind) => Found::new(Type::Kind(Box::new(kind)), None, Span::exactly(1)),
            None => self.refuse(id, undeclared(name)),
        }
    }

    fn select(&mut self, id: u64, select: &SelectExpr) -> Found {
        let operand = self.infer(&select.operand);
        let Some(mut found) = self.member(id, &operand, &select.field) else { return Found::refused() };
        found.cost = operand.cost;
        found.is_stored = operand.is_stored;
        if select.test {
            return Found::new(Type::Bool, None, operand.cost);
        }
        if matches!(operand.kind, Type::Object(_) | Type::Map(..)) {
            found.cost = found.cost.plus(Span::exactly(1));
        }
        found
    }

    /// The member `field` of a value; reports an error if there is none.
    pub(super) fn member(&mut self, id: u64, operand: &Found, field: &str) -> Option<Found> {
        let free = Span::exactly(0);
        match &operand.kind {
            Type::Object(fields) => match fields.get(field) {
                Some(sized) => Some(Found::sized(sized, free)),
                None => {
                    self.refuse(id, format!("undefined field '{field}'"));
                    None
                }
            },
            Type::Map(_, value) => Some(Found::sized(value, free)),
            Type::Dyn | Type::Free => Some(Found::new(Type::Dyn, None, free)),
            Type::Optional(inner) => {
                let found = self.member(id, &Found::sized(inner, free), field)?;
                Some(Found::new(Type::Optional(Box::new(found.as_sized())), None, free))
            }
            other => {
                self.refuse(id, format!("type '{other}' does not support field selection"));
                None
            }
        }
    }

    fn list(&mut self, list: &ListExpr) -> Found {
        let elements = list.elements.iter().enumerate();
        let (kind, cost) = self.alike(elements.map(|(at, element)| (element, list.optional_indices.contains(&at))));
        let size = Some(Span::exactly(list.elements.len() as u64));
        Found::new(Type::List(Box::new(kind)), size, cost.plus(Span::exactly(10)))
    }

    fn map(&mut self, entries: &[IdedEntryExpr]) -> Found {
        let entries = || {
            entries.iter().filter_map(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => Some(entry),
                EntryExpr::StructField(_) => None,
            })
        };
        let (key, keys) = self.alike(entries().map(|entry| (&entry.key, false)));
        let (value, values) = self.alike(entries().map(|entry| (&entry.value, entry.optional)));
        let cost = keys.plus(values).plus(Span::exactly(30));
        let size = Some(Span::exactly(entries().count() as u64));
        Found::new(Type::Map(Box::new(key), Box::new(value)), size, cost)
    }

    /// The common type of all parts, or `dyn` if they differ. An optional part counts as the type of its value.
    fn alike<'e>(&mut self, parts: impl Iterator<Item = (&'e IdedExpr, bool)>) -> (Sized, Span) {
        let (mut kind, mut cost) = (Sized::unknown(Type::Free), Span::exactly(0));
        for (part, is_optional) in parts {
            let mut found = self.infer(part);
            cost = cost.plus(found.cost);
            if let Type::Optional(held) = &found.kind
                && is_optional
            {
                found.kind = held.kind.clone();
            }
            if !fits(&kind.kind, &found.kind) {
                self.mixed(part.id, format!("expected type '{}' but found '{}'", kind.kind, found.kind));
                kind.kind = Type::Dyn;
            } else if matches!(kind.kind, Type::Free | Type::Null) {
                kind.kind = found.kind;
            }
        }
        (kind, cost)
    }

    fn fold(&mut self, fold: &ComprehensionExpr) -> Found {
        let range = self.infer(&fold.iter_range);
        let free = Span::exactly(1);
        // For a list that an expression created, a server assumes that each item is as large as the list.
        let own = |item: &Sized| match range.is_stored {
            true => Found::sized(item, free).stored(true),
            false => Found::new(item.kind.clone(), range.size, free),
        };
        let index = Found::new(Type::Int, None, free);
        let open = || Found::new(Type::Dyn, None, free);
        let (first, second) = match &range.kind {
            Type::List(item) if fold.iter_var2.is_some() => (index, own(item)),
            Type::List(item) => (own(item), open()),
            Type::Map(key, value) => (own(key), own(value)),
            Type::Dyn | Type::Free => (open(), open()),
            other => {
                let why = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.refuse(fold.iter_range.id, why);
                (Found::refused(), Found::refused())
            }
        };
        let init = self.infer(&fold.accu_init);
        let depth = self.scope.len();
        self.scope.push((fold.accu_var.clone(), Found::new(init.kind.clone(), init.size, free)));
        self.scope.push((fold.iter_var.clone(), first));
        self.scope.extend(fold.iter_var2.clone().map(|name| (name, second)));
        let (cond, step) = (self.infer(&fold.loop_cond), self.infer(&fold.loop_step));
        self.scope.truncate(depth);
        let count = range.size_or_unknown();
        // A list or map that a fold builds item by item has at most as many items as the range.
        let (kind, size) = match &init.kind {
            Type::List(_) | Type::Map(..) if init.size == Some(Span::exactly(0)) => {
                (step.kind, Some(Span::up_to(count.max)))
            }
            _ => (init.kind, init.size),
        };
        self.scope.push((fold.accu_var.clone(), Found::new(kind, size, free)));
        let result = self.infer(&fold.result);
        self.scope.truncate(depth);
        let cost = range.cost.plus(init.cost).plus(count.times(step.cost.plus(cond.cost))).plus(result.cost);
        Found { cost, ..result }
    }
}

pub(super) fn undeclared(name: &str) -> String {
    format!("undeclared reference to '{name}' (in container '')")
}

fn constant(literal: &LiteralValue) -> Found {
    let (kind, size) = match literal {
        LiteralValue::Boolean(_) => (Type::Bool, None),
        LiteralValue::Bytes(bytes) => (Type::Bytes, Some(bytes.inner().len())),
        LiteralValue::Double(_) => (Type::Double, None),
        LiteralValue::Int(_) => (Type::Int, None),
        LiteralValue::Null => (Type::Null, None),
        LiteralValue::String(text) => (Type::Text, Some(text.inner().chars().count())),
        LiteralValue::UInt(_) => (Type::Uint, None),
    };
    let number = match literal {
        LiteralValue::Int(number) => Some(*number.inner()),
        _ => None,
    };
    Found { number, ..Found::new(kind, size.map(|size| Span::exactly(size as u64)), Span::exactly(0)) }
}

fn type_named(name: &str) -> Option<Type> {
    let any = || Box::new(Sized::unknown(Type::Dyn));
    Some(match name {
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "int" => Type::Int,
        "list" => Type::List(any()),
        "map" => Type::Map(any(), any()),
        "null_type" => Type::Null,
        "string" => Type::Text,
        "type" => Type::Kind(Box::new(Type::Dyn)),
        "uint" => Type::Uint,
        _ => return None,
    })
}

/// Whether values of the two types are assignable to each other.
pub(super) fn fits(a: &Type, b: &Type) -> bool {
    let takes_null = |kind: &Type| {
        matches!(kind, Type::Object(_) | Type::Timestamp | Type::Duration | Type::Optional(_) | Type::Named(_))
    };
    match (a, b) {
        (Type::Dyn | Type::Free, _) | (_, Type::Dyn | Type::Free) => true,
        (Type::Null, other) | (other, Type::Null) if *other != Type::Null => takes_null(other),
        (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => fits(&a.kind, &b.kind),
        (Type::Map(a, b), Type::Map(c, d)) => fits(&a.kind, &c.kind) && fits(&b.kind, &d.kind),
        (Type::Object(a), Type::Object(b)) => same_object(a, b),
        (Type::Kind(_), Type::Kind(_)) => true,
        _ => a == b,
    }
}

fn same_object(a: &Arc<BTreeMap<String, Sized>>, b: &Arc<BTreeMap<String, Sized>>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}
