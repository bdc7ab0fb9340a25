//! Expands the macros that the parser does not support: for optional values, with two variables, and `sortBy`.

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue, MapExpr};

use super::found::Mistake;
use super::hidden_names::{ACCUMULATOR, MAP_INSERT, SORT_BY};
use super::visit::visit;

/// The variable for the list to sort, which is evaluated only once.
const SORTED: &str = "@__sortBy_input__";

/// Expands all macros in the expression.
///
/// # Errors
/// If the name of a variable is invalid.
pub(super) fn expand(expr: &mut IdedExpr) -> Result<(), Vec<Mistake>> {
    let mut mistakes = Vec::new();
    visit(expr, &mut |expr| {
        let id = expr.id;
        let Expr::Call(call) = &expr.expr else { return };
        let Some(target) = call.target.as_deref() else { return };
        match (Spelled { id, target }).out(&call.func_name, &call.args) {
            Some(Ok(spelled)) => expr.expr = spelled,
            Some(Err(mistake)) => mistakes.push(mistake),
            None => {}
        }
    });
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
}

/// A macro call: its position and its target.
struct Spelled<'e> {
    id: u64,
    target: &'e IdedExpr,
}

impl Spelled<'_> {
    /// The expanded macro; `None` if the call is not a macro.
    fn out(&self, name: &str, args: &[IdedExpr]) -> Option<Result<Expr, Mistake>> {
        Some(match (name, args) {
            ("optMap" | "optFlatMap", [variable, body]) => self.optional(name, variable, body),
            ("sortBy", [variable, key]) => self.sorted(variable, key),
            ("all" | "exists" | "existsOne" | "exists_one", [first, second, test]) => {
                self.quantified(name, [first, second], test)
            }
            ("transformList" | "transformMap" | "transformMapEntry", [first, second, rest @ ..])
                if matches!(rest.len(), 1 | 2) =>
            {
                self.transformed(name, [first, second], rest)
            }
            _ => return None,
        })
    }

    fn at(&self, expr: Expr) -> IdedExpr {
        IdedExpr { id: self.id, expr }
    }

    fn call(&self, function: &str, args: Vec<IdedExpr>) -> IdedExpr {
        self.at(Expr::Call(CallExpr { func_name: function.to_owned(), target: None, args }))
    }

    fn of(&self, target: IdedExpr, function: &str, args: Vec<IdedExpr>) -> IdedExpr {
        self.at(Expr::Call(CallExpr { func_name: function.to_owned(), target: Some(Box::new(target)), args }))
    }

    fn ident(&self, name: &str) -> IdedExpr {
        self.at(Expr::Ident(name.to_owned()))
    }

    fn truth(&self, truth: bool) -> IdedExpr {
        self.at(Expr::Literal(LiteralValue::Boolean(truth.into())))
    }

    fn number(&self, number: i64) -> IdedExpr {
        self.at(Expr::Literal(LiteralValue::Int(number.into())))
    }

    fn list(&self, elements: Vec<IdedExpr>) -> IdedExpr {
        self.at(Expr::List(ListExpr::new(elements)))
    }

    fn so_far(&self) -> IdedExpr {
        self.ident(ACCUMULATOR)
    }

    /// Binds the name to the value in `body`, by a fold over an empty list.
    fn bound(&self, name: &str, value: IdedExpr, body: IdedExpr) -> IdedExpr {
        self.at(Expr::Comprehension(Box::new(ComprehensionExpr {
            iter_range: self.list(Vec::new()),
            iter_var: "#unused".to_owned(),
            iter_var2: None,
            accu_var: name.to_owned(),
            accu_init: value,
            loop_cond: self.truth(false),
            loop_step: self.ident(name),
            result: body,
        })))
    }

    /// `a.optMap(x, f(x))` expands to `a.hasValue() ? optional.of(f(a.value())) : optional.none()`.
    fn optional(&self, name: &str, variable: &IdedExpr, body: &IdedExpr) -> Result<Expr, Mistake> {
        let Expr::Ident(variable) = &variable.expr else {
            return Err((variable.id, format!("{name}() variable name must be a simple identifier")));
        };
        let value = self.of(self.target.clone(), "value", Vec::new());
        let bound = self.bound(variable, value, body.clone());
        let library = || self.ident("optional");
        let found = if name == "optMap" { self.of(library(), "of", vec![bound]) } else { bound };
        let has = self.of(self.target.clone(), "hasValue", Vec::new());
        Ok(self.call("_?_:_", vec![has, found, self.of(library(), "none", Vec::new())]).expr)
    }

    /// `a.sortBy(x, f(x))` sorts `a` by the list of its keys.
    fn sorted(&self, variable: &IdedExpr, key: &IdedExpr) -> Result<Expr, Mistake> {
        let Expr::Ident(variable) = &variable.expr else {
            return Err((variable.id, "argument is not an identifier".to_owned()));
        };
        let input = || self.ident(SORTED);
        let keys = self.at(Expr::Comprehension(Box::new(ComprehensionExpr {
            iter_range: input(),
            iter_var: variable.clone(),
            iter_var2: None,
            accu_var: ACCUMULATOR.to_owned(),
            accu_init: self.list(Vec::new()),
            loop_cond: self.truth(true),
            loop_step: self.call("_+_", vec![self.so_far(), self.list(vec![key.clone()])]),
            result: self.so_far(),
        })));
        let sorted = self.of(input(), SORT_BY, vec![keys]);
        Ok(self.bound(SORTED, self.target.clone(), sorted).expr)
    }

    fn quantified(&self, name: &str, variables: [&IdedExpr; 2], test: &IdedExpr) -> Result<Expr, Mistake> {
        let not = |value| self.call("!_", vec![value]);
        let goes_on = |value| self.call("@not_strictly_false", vec![value]);
        let test = test.clone();
        let fold = match name {
            "all" => Fold {
                start: self.truth(true),
                condition: goes_on(self.so_far()),
                step: self.call("_&&_", vec![self.so_far(), test]),
                result: self.so_far(),
            },
            "exists" => Fold {
                start: self.truth(false),
                condition: goes_on(not(self.so_far())),
                step: self.call("_||_", vec![self.so_far(), test]),
                result: self.so_far(),
            },
            _ => {
                let one_more = self.call("_+_", vec![self.so_far(), self.number(1)]);
                Fold {
                    start: self.number(0),
                    condition: self.truth(true),
                    step: self.call("_?_:_", vec![test, one_more, self.so_far()]),
                    result: self.call("_==_", vec![self.so_far(), self.number(1)]),
                }
            }
        };
        self.folded(variables, fold)
    }

    /// `rest` is an optional condition, followed by the new value of each entry.
    fn transformed(&self, name: &str, variables: [&IdedExpr; 2], rest: &[IdedExpr]) -> Result<Expr, Mistake> {
        let ([.., made], condition) = (rest, rest.first().filter(|_| rest.len() > 1)) else {
            return Err((self.id, "an empty expression".to_owned()));
        };
        let made = made.clone();
        let (start, step) = match name {
            "transformList" => (self.list(Vec::new()), self.call("_+_", vec![self.so_far(), self.list(vec![made])])),
            "transformMap" => (self.empty(), self.call(MAP_INSERT, vec![self.so_far(), variables[0].clone(), made])),
            _ => (self.empty(), self.call(MAP_INSERT, vec![self.so_far(), made])),
        };
        let step = match condition {
            Some(condition) => self.call("_?_:_", vec![condition.clone(), step, self.so_far()]),
            None => step,
        };
        self.folded(variables, Fold { start, condition: self.truth(true), step, result: self.so_far() })
    }

    fn empty(&self) -> IdedExpr {
        self.at(Expr::Map(MapExpr { entries: Vec::new() }))
    }

    fn folded(&self, [first, second]: [&IdedExpr; 2], fold: Fold) -> Result<Expr, Mistake> {
        let (one, two) = (name_of(first)?, name_of(second)?);
        if one == two {
            return Err((second.id, format!("duplicate variable name: {two}")));
        }
        Ok(Expr::Comprehension(Box::new(ComprehensionExpr {
            iter_range: self.target.clone(),
            iter_var: one,
            iter_var2: Some(two),
            accu_var: ACCUMULATOR.to_owned(),
            accu_init: fold.start,
            loop_cond: fold.condition,
            loop_step: fold.step,
            result: fold.result,
        })))
    }
}

struct Fold {
    start: IdedExpr,
    condition: IdedExpr,
    step: IdedExpr,
    result: IdedExpr,
}

/// The name of a variable; the name of the accumulator is reserved.
fn name_of(variable: &IdedExpr) -> Result<String, Mistake> {
    match &variable.expr {
        Expr::Ident(name) if name == "__result__" => {
            Err((variable.id, "iteration variable overwrites accumulator variable".to_owned()))
        }
        Expr::Ident(name) => Ok(name.clone()),
        _ => Err((variable.id, "argument must be a simple name".to_owned())),
    }
}
