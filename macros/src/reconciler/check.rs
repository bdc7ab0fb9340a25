//! What a reconciler may not be: names that Kubernetes refuses, and statements that are no steps.

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::{Expr, LitInt, LitStr, Macro, Pat, Stmt, Token, Type};

use super::args::ReconcilerArgs;
use super::pipeline::{Callee, Pipeline, is_self};
use crate::errors::{Errors, mistake};
use crate::syntax::context_type::is_context;
use crate::syntax::function::Function;
use crate::syntax::names::{KEPT, camel, is_annotation, is_condition_type, is_finalizer, is_manager, plain};
use crate::syntax::signature::{check_generics, check_plain};
use crate::syntax::suggest;

/// The API server refuses a finalizer without a domain.
pub(crate) fn finalizer(text: LitStr) -> syn::Result<LitStr> {
    let value = text.value();
    if is_finalizer(&value) {
        return Ok(text);
    }
    let help = match value.contains('/') {
        true => "write a domain and a name: `\"example.com/cleanup\"`".to_owned(),
        false => format!("write `\"example.com/{value}\"`"),
    };
    Err(mistake(&text, format_args!("Kubernetes refuses the finalizer `{value}`"), help))
}

/// Where nothing may run, nothing would.
pub(crate) fn concurrency(number: LitInt) -> syn::Result<LitInt> {
    match number.base10_parse::<u32>() {
        Ok(0) => {
            Err(mistake(number, "a concurrency of 0 would run nothing", "write 1 or more, or leave it out for 16"))
        }
        Ok(passes) => Ok(LitInt::new(&passes.to_string(), number.span())),
        Err(_) => Err(mistake(number, "`concurrency` takes a number of 32 bits", "write `concurrency = 16`")),
    }
}

/// The API server refuses a long or unprintable field manager.
pub(crate) fn manager(text: LitStr) -> syn::Result<LitStr> {
    if is_manager(&text.value()) {
        return Ok(text);
    }
    let help = "write 1 to 128 printable characters: `\"source-controller\"`";
    Err(mistake(&text, "Kubernetes refuses this field manager", help))
}

/// The API server refuses an annotation without a qualified name.
pub(crate) fn annotation(text: LitStr) -> syn::Result<LitStr> {
    key(text, "annotation", "\"reconcile.example.com/requestedAt\"")
}

/// The same for labels.
pub(crate) fn key(text: LitStr, what: &str, example: &str) -> syn::Result<LitStr> {
    if is_annotation(&text.value()) {
        return Ok(text);
    }
    let headline = format!("Kubernetes refuses the {what} `{}`", text.value());
    Err(mistake(&text, headline, format_args!("write a domain and a name: `{example}`")))
}

/// The summary is a condition of its own.
pub(crate) fn summary(text: LitStr) -> syn::Result<LitStr> {
    let value = text.value();
    if KEPT.contains(&value.as_str()) {
        let headline = format!("`{value}` is of the first reconciler of a kind");
        return Err(mistake(&text, headline, "leave `summary` out, or write for example `summary = \"BackupReady\"`"));
    }
    if !is_condition_type(&value) {
        let word = camel(&value);
        let help = if is_condition_type(&word) { word } else { "BackupReady".to_owned() };
        return Err(mistake(&text, format_args!("`{value}` is no condition type"), format_args!("write `\"{help}\"`")));
    }
    Ok(text)
}

/// The module of markers is that of a struct.
pub(crate) fn check_module(args: &ReconcilerArgs, errors: &mut Errors) {
    if let Some(module) = &args.module {
        let help = "leave it out: the types stand beside the functions";
        errors.push(module, "`mod` is for a reconciler that is an `impl`", help);
    }
}

/// A reconciler tells how its object stands.
pub(crate) fn check_conditions(what: &str, args: &ReconcilerArgs, function: &Function, errors: &mut Errors) {
    if args.conditions.is_none() && !args.says_conditions {
        let name = function.home.as_ref().map_or(&function.sig.ident, |home| &home.name);
        let help = "write `#[reconciler(conditions = RepoCondition)]`";
        errors.push(name, format_args!("{what} has no conditions"), help);
    }
}

pub(crate) fn check_function(what: &str, function: &Function, errors: &mut Errors) {
    check_plain(what, &function.sig, errors);
    check_generics(what, &function.sig, errors);
    if matches!(function.sig.output, syn::ReturnType::Default) {
        errors.push(&function.sig.ident, format_args!("{what} must return a `Flow`"), "write `-> Flow`");
    }
}

/// The last parameter is the context of the pass.
pub(crate) fn check_context(what: &str, function: &Function, errors: &mut Errors) -> Option<Ident> {
    let params = function.params();
    let last = params.last().filter(|_| params.len() > 1)?;
    if !is_context(&last.ty, "Pass") {
        let headline = format!("the last parameter of {what} must be the context of the pass");
        errors.push(&last.ty, headline, "write `cx: &mut Pass<'_>`");
        return None;
    }
    named(&last.pat, errors)
}

/// A method takes what it depends on from its struct.
pub(crate) fn check_fields(function: &Function, dependencies: &[Type], errors: &mut Errors) {
    let (Some(home), params) = (&function.home, function.params()) else { return };
    if let (Some(param), false) = (params.get(1), dependencies.is_empty()) {
        let help = format!("make it a field of `{}`", home.name);
        errors.push(param, "the pipeline of a struct takes the object and the context only", help);
    }
}

/// `self.step(..)` is a step of the same `impl`.
pub(crate) fn check_methods(function: &Function, pipeline: &Pipeline, errors: &mut Errors) {
    for call in pipeline.calls() {
        let Callee::Method(method) = &call.callee else { continue };
        let name = &method.name;
        let Some(home) = &function.home else {
            errors.push(&method.receiver, FREE.0, "a free function has no `self`: call a function");
            continue;
        };
        if !home.steps.contains(name) {
            let steps: Vec<String> = home.steps.iter().map(plain).collect();
            let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
            let help = match suggest::nearest(&plain(name), &steps) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "mark it in this `impl` with `#[sub_reconciler(sets(..))]`".to_owned(),
            };
            errors.push(name, format_args!("`{}` has no step `{name}`", home.name), help);
        }
    }
}

/// Parameters that the pipeline hands on have names.
pub(crate) fn named(pattern: &Pat, errors: &mut Errors) -> Option<Ident> {
    match pattern {
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => Some(ident.ident.clone()),
        other => {
            errors.push(other, "a parameter of a reconciler has a plain name", "write a name without a pattern");
            None
        }
    }
}

/// Anything but a step: each kind with its own cure.
pub(crate) fn refuse_statement(statement: &Stmt, errors: &mut Errors) {
    let step = "write `let x = step(repo, .., cx).await?;` or `step(repo, .., cx).await?;`";
    let (headline, help) = match statement {
        Stmt::Item(_) => ("an item cannot stand in a pipeline", "move it out of the function"),
        Stmt::Macro(call) if is_join(&call.mac) => MACRO,
        Stmt::Macro(_) => FREE,
        Stmt::Local(local) if local.init.as_ref().is_some_and(|init| init.diverge.is_some()) => {
            ("a `let .. else` would leave the pipeline", "bind the result, then write `if let .. else { skip(..) }`")
        }
        Stmt::Local(local) => match local.init.as_ref().map(|init| &*init.expr) {
            None => ("a binding without a step cannot stand in a pipeline", step),
            Some(expr) => headline(expr),
        },
        Stmt::Expr(expr, _) => headline(expr),
    };
    match statement {
        Stmt::Local(_) | Stmt::Item(_) | Stmt::Macro(_) => errors.push(statement, headline, help),
        Stmt::Expr(expr, _) => errors.push(expr, headline, help),
    }
}

const FREE: (&str, &str) = (
    "a free statement cannot stand in a pipeline",
    "put it into a `#[sub_reconciler]`: a step has a condition, a span and metrics",
);

const MACRO: (&str, &str) = (
    "a macro cannot stand in a pipeline",
    "call the steps themselves; concurrently: `join(fetch(repo, .., cx), load(repo, .., cx)).await?`",
);

fn headline(expr: &Expr) -> (&'static str, &'static str) {
    match expr {
        Expr::Match(_) => ("a `match` cannot stand in a pipeline", "write `if let .. {} else if let .. {} else {}`"),
        Expr::While(_) | Expr::Loop(_) => (
            "a loop without items cannot stand in a pipeline",
            "write `for item in items { step(repo, item, cx).await?; }`, or loop inside a step",
        ),
        Expr::Closure(_) => ("a closure cannot stand in a pipeline", "call the step itself"),
        expr if matches!(peeled(expr), Expr::Async(_)) => {
            ("an `async` block cannot stand in a pipeline", "call the step itself")
        }
        expr if matches!(peeled(expr), Expr::Macro(_)) => MACRO,
        Expr::Return(_) => {
            ("an early return cannot stand in a pipeline", "return an error of class `ignored` from a step")
        }
        Expr::Await(_) => ("the error of this step is not handed on", "write `?` after `.await`"),
        Expr::Try(inner) if is_call(&inner.expr) => ("this step is not awaited", "write `.await?` after the call"),
        call if is_call(call) => {
            ("this step is neither awaited nor its error handed on", "write `.await?` after the call")
        }
        _ => FREE,
    }
}

/// `tokio::join!`, `futures::try_join!`.
fn is_join(call: &Macro) -> bool {
    call.path.segments.last().is_some_and(|segment| segment.ident.to_string().ends_with("join"))
}

/// What is awaited, and of which the error is handed on.
fn peeled(expr: &Expr) -> &Expr {
    match expr {
        Expr::Try(inner) => peeled(&inner.expr),
        Expr::Await(inner) => peeled(&inner.base),
        expr => expr,
    }
}

/// The call of a function, or of a method of the struct.
fn is_call(expr: &Expr) -> bool {
    match expr {
        Expr::Call(_) => true,
        Expr::MethodCall(call) => is_self(&call.receiver),
        _ => false,
    }
}

/// The pipeline ends with its success.
pub(crate) fn refuse_end(function: &Function, last: Option<&Stmt>, errors: &mut Errors) {
    let headline = "a pipeline ends with `Ok(())`";
    match last {
        Some(Stmt::Expr(expr @ Expr::Await(_), None)) => {
            errors.push(expr, "a pipeline ends with `Ok(())`, not with a step", "write `.await?; Ok(())`");
        }
        Some(last) => errors.push(last, headline, "add `Ok(())` as the last line"),
        None => errors.push(&function.sig.ident, "this pipeline has no steps", "call a `#[sub_reconciler]`"),
    }
}

/// `cx`, `&mut *cx`.
pub(crate) fn is_name(expr: &Expr, name: &Ident) -> bool {
    match expr {
        Expr::Path(path) => path.path.is_ident(name),
        Expr::Reference(reference) => is_name(&reference.expr, name),
        Expr::Unary(unary) => is_name(&unary.expr, name),
        _ => false,
    }
}

/// A step gets the object first and the context last.
pub(crate) fn check_call(
    call: &Expr,
    args: &Punctuated<Expr, Token![,]>,
    object: &Ident,
    context: &Ident,
    errors: &mut Errors,
) -> bool {
    let is = |expr: Option<&Expr>, ident: &Ident| matches!(expr, Some(Expr::Path(path)) if path.path.is_ident(ident));
    if !is(args.last(), context) {
        match args.last().filter(|last| is_name(last, context)) {
            Some(last) => errors.push(
                last,
                format_args!("`{context}` is handed on as it is"),
                format_args!("write `{context}` as the last argument: each step makes a context of its own from it"),
            ),
            None => errors.push(
                call,
                "a step gets the context last",
                format_args!("write `{context}` as the last argument; only steps can be called here"),
            ),
        }
        return false;
    }
    if !is(args.first(), object) {
        let help = format!("write `{object}` as the first argument");
        errors.push(call, "a step gets the object of the reconciler first", help);
        return false;
    }
    true
}
