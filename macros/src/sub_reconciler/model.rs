//! The validated step.

use syn::{GenericArgument, LitStr, Path, PathArguments, PathSegment, ReturnType, Type};

use super::args::StepArgs;
use super::check;
use crate::errors::Errors;
use crate::syntax::action::Actions;
use crate::syntax::context_type::{self, fill_in};
use crate::syntax::deletion::may_delete;
use crate::syntax::function::Function;
use crate::syntax::marker::Marker;
use crate::syntax::names::{path_text, plain};
use crate::syntax::reason_literal::{FoundReason, check_reasons, failed, find_reasons};
use crate::syntax::signature::{bind_generics, check_named, check_plain, parse_object};

/// The parsed step, valid or not.
pub(crate) struct Draft {
    pub(crate) args: StepArgs,
    /// The function, with the step added to a bare `Cx`.
    pub(crate) function: Function,
    pub(crate) marker: Marker,
    pub(crate) object: Option<Type>,
    pub(crate) error: Option<ErrorType>,
    /// Whether the function can be called as a step.
    pub(crate) callable: bool,
}

/// A valid step.
pub(crate) struct Step {
    pub(crate) args: StepArgs,
    pub(crate) function: Function,
    pub(crate) marker: Marker,
    pub(crate) name: String,
    /// The first condition of `sets(..)`.
    pub(crate) first: Path,
    pub(crate) object: Type,
    pub(crate) error: ErrorType,
    pub(crate) reasons: Vec<StepReason>,
    /// The conditions that its errors may mark.
    pub(crate) fails: Vec<Path>,
    /// Whether it may delete objects that it owns.
    pub(crate) deletes: bool,
}

/// A literal reason that the step sets for a condition.
pub(crate) struct StepReason {
    /// The marker as written in `sets(..)`; rustc already reports a misspelt one in the body.
    pub(crate) marker: Path,
    pub(crate) reason: LitStr,
}

/// The source of the error type.
pub(crate) enum ErrorType {
    /// The `E` of `Result<T, E>`.
    Named(Type),
    /// An alias such as `RepoResult<T>`, resolved by a trait.
    Within(Type),
}

pub(crate) fn read(args: StepArgs, mut function: Function, errors: &mut Errors) -> Draft {
    check::check_args(&args, &function, errors);
    if let Some(context) = context_type::name(&function) {
        check_reasons(&function.body, context, errors);
        let actions = Actions { declared: &args.actions, context, krate: &args.krate };
        if let Some(body) = actions.resolve(&function.body, errors) {
            function.body = body;
        }
    }
    let before = errors.count();
    let what = format!("step `{}`", function.sig.ident);
    check_plain(&what, &function.sig, errors);
    let object = parse_object(&what, &function, errors).filter(|_| check_named(&what, &function, errors));
    bind_generics(&mut function, object.as_ref(), &args.krate);
    let marker = Marker::of(&function, args.marker.as_ref());
    let mut mended = false;
    if object.is_some() {
        check::check_context(&function, &marker.ident, errors);
        mended = context_type::mend(&mut function);
    }
    check::check_output(&function, errors);
    let error = error_type(&function.sig.output);
    fill_in(&mut function, &marker);
    Draft { args, function, marker, object, error, callable: errors.count() == before + usize::from(mended) }
}

impl Draft {
    /// The step, if there were no errors.
    pub(crate) fn finish(self, errors: &Errors) -> Result<Step, Box<Self>> {
        let name = plain(&self.function.sig.ident);
        match (self.args.sets.first().cloned(), self) {
            (Some(first), Self { args, function, marker, object: Some(object), error: Some(error), .. })
                if errors.count() == 0 =>
            {
                let (reasons, fails) = (reasons(&args, &function), fails(&args, &function));
                let deletes = may_delete(function.code(), context_type::name(&function));
                let args = StepArgs { krate: args.krate.short(), ..args };
                Ok(Step { args, function, marker, name, first, object, error, reasons, fails, deletes })
            }
            (_, draft) => Err(Box::new(draft)),
        }
    }
}

fn reasons(args: &StepArgs, function: &Function) -> Vec<StepReason> {
    let Some(context) = context_type::name(function) else { return Vec::new() };
    let reasons = find_reasons(function.code(), context).into_iter().filter_map(|FoundReason { marker, reason }| {
        let declared = args.sets.iter().find(|path| path_text(path) == marker)?;
        Some(StepReason { marker: declared.clone(), reason })
    });
    reasons.collect()
}

/// The conditions that `cx.fail(..)` may name. A marker in a variable may be any of them.
fn fails(args: &StepArgs, function: &Function) -> Vec<Path> {
    let Some(context) = context_type::name(function) else { return Vec::new() };
    let named = failed(function.code(), context);
    let is_declared = |marker: &String| args.sets.iter().any(|path| path_text(path) == *marker);
    let any = !named.iter().all(is_declared);
    args.sets.iter().filter(|path| any || named.contains(&path_text(path))).cloned().collect()
}

fn error_type(output: &ReturnType) -> Option<ErrorType> {
    let ReturnType::Type(_, ty) = output else { return None };
    let Type::Path(path) = &**ty else { return None };
    let last = path.path.segments.last()?;
    let types = generics(last);
    match types.as_slice() {
        [_, error] if last.ident == "Result" => Some(ErrorType::Named((*error).clone())),
        _ => Some(ErrorType::Within((**ty).clone())),
    }
}

fn generics(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(args) = &segment.arguments else { return Vec::new() };
    let types = args.args.iter().filter_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}
