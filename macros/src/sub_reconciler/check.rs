//! Checks of the declarations and the signature of a step.

use proc_macro2::Ident;
use syn::{Path, ReturnType, Type};

use super::args::StepArgs;
use super::check_ready::check_ready;
use crate::errors::{Errors, mistake};
use crate::syntax::action::wire;
use crate::syntax::context_type::{self, is_context};
use crate::syntax::function::Function;
use crate::syntax::names::path_text;

/// A step that both owns and watches a kind reads from the watch.
fn check_own_cache(args: &StepArgs, errors: &mut Errors) {
    for own in &args.owns {
        let watched = args.watches.iter().any(|watch| path_text(&watch.kind) == path_text(&own.kind));
        if let Some(cache) = own.cache.as_ref().filter(|_| watched) {
            let headline = format!("this step also watches `{}`, and reads it from that watch", path_text(&own.kind));
            errors.push(
                &cache.word,
                headline,
                format_args!("declare `cache` in `watches({}, ..)`", path_text(&own.kind)),
            );
        }
    }
}

/// Checks the arguments.
pub(crate) fn check_args(args: &StepArgs, function: &Function, errors: &mut Errors) {
    check_sets(args, function, errors);
    let watches: Vec<Path> = args.watches.iter().map(|watch| watch.kind.clone()).collect();
    let owns: Vec<Path> = args.owns.iter().map(|own| own.kind.clone()).collect();
    let keeps: Vec<Path> = args.keeps.iter().flat_map(|keeps| keeps.kinds.clone()).collect();
    let uses: Vec<Path> = args.uses.iter().map(|uses| uses.kind.clone()).collect();
    let lists = [
        ("sets", &args.sets),
        ("clears", &args.clears),
        ("reads", &args.reads),
        ("watches", &watches),
        ("polls", &args.polls),
        ("owns", &owns),
        ("dependents", &keeps),
        ("uses", &uses),
        ("actions", &args.actions),
    ];
    for (key, list) in lists {
        check_twice(key, list, errors);
        check_variants(list, errors);
    }
    check_actions(&args.actions, errors);
    check_own_cache(args, errors);
    check_both("sets", &args.sets, "clears", &args.clears, errors);
    check_both("watches", &watches, "polls", &args.polls, errors);
    check_both("owns", &owns, "dependents", &keeps, errors);
    check_any(args, errors);
    // Kinds of a list that cannot be read are unknown.
    if errors.count() == 0 {
        args.keeps.iter().for_each(|keeps| check_ready(keeps, errors));
    }
}

/// A user who writes the object decides what is created, so `any` needs a limit.
fn check_any(args: &StepArgs, errors: &mut Errors) {
    let Some(keeps) = &args.keeps else { return };
    match (&keeps.any, &keeps.trusted) {
        (Some(any), None) if args.site.is_none() && !keeps.within_namespace => {
            let headline = "`any` gives the users of this kind all rights of the operator";
            let help = "limit it by `site = ..` on the step or `within = namespace`, or write `trusted` if these users may do that";
            errors.push(any, headline, help);
        }
        (None, Some(trusted)) => {
            errors.push(trusted, "`trusted` is for sets with `any`", "remove it, or add `any`");
        }
        _ => {}
    }
}

/// Every step must set a condition: its failure would not be visible otherwise.
fn check_sets(args: &StepArgs, function: &Function, errors: &mut Errors) {
    if args.sets.is_empty() && !args.has_sets {
        let name = &function.sig.ident;
        let help = "name the condition that reports its result: `#[sub_reconciler(sets(on::SourceFetched))]`";
        errors.push(name, format_args!("step `{name}` sets no condition"), help);
    }
}

/// A path must not be listed twice.
fn check_twice(key: &str, list: &[Path], errors: &mut Errors) {
    for (i, path) in list.iter().enumerate() {
        if list[..i].iter().any(|earlier| path_text(earlier) == path_text(path)) {
            let headline = format!("`{}` is listed twice in `{key}`", path_text(path));
            errors.push(path, headline, "remove one of them");
        }
    }
}

/// An action must be a name. In JSON it must differ from other actions, and its annotation from the one that requests a pass.
fn check_actions(actions: &[Path], errors: &mut Errors) {
    for (i, action) in actions.iter().enumerate() {
        let same = |other: &&Path| {
            path_text(other) != path_text(action) && wire(&path_text(other)) == wire(&path_text(action))
        };
        if let Some(other) = actions[..i].iter().find(same) {
            let headline =
                format!("the actions `{}` and `{}` have the same annotation", path_text(other), path_text(action));
            errors.push(action, headline, "remove one of them");
        }
        if action.get_ident().is_none() {
            errors.push(action, "an action is a single name", "write `actions(force)`");
        } else if action.is_ident("requested") {
            errors.push(
                action,
                "`requested` is the request itself, not an action",
                "write for example `actions(force)`",
            );
        }
    }
}

/// Two lists that contradict each other must not share a path.
fn check_both(first: &str, one: &[Path], second: &str, other: &[Path], errors: &mut Errors) {
    for path in other.iter().filter(|path| one.iter().any(|earlier| path_text(earlier) == path_text(path))) {
        let headline = format!("`{}` is in `{first}` and in `{second}`", path_text(path));
        errors.push(path, headline, "keep one of them");
    }
}

/// A variant is a value; the list needs its marker, which has the same name in the module of the set.
fn check_variants(list: &[Path], errors: &mut Errors) {
    for (path, set, name) in list.iter().filter_map(|path| variant(path).map(|(set, name)| (path, set, name))) {
        let headline = format!("`{}` is a variant, not the marker of a condition", path_text(path));
        let help = format!("write `on::{name}`: the marker in the module of `{set}`");
        errors.push(path, headline, help);
    }
}

/// The enum and the variant of a path such as `RepoCondition::SourceFetched`.
pub(crate) fn variant(path: &Path) -> Option<(&Ident, &Ident)> {
    let mut segments = path.segments.iter().rev();
    let (name, set) = (&segments.next()?.ident, &segments.next()?.ident);
    set.to_string().starts_with(char::is_uppercase).then_some((set, name))
}

/// The last parameter must be the context.
pub(crate) fn check_context(function: &Function, marker: &Ident, errors: &mut Errors) {
    let params = function.params();
    let Some(last) = params.last().filter(|_| params.len() > 1) else { return };
    let step = &function.sig.ident;
    if !is_context(&last.ty, "Cx") {
        let headline = format!("the last parameter of step `{step}` must be its context");
        errors.push(&last.ty, headline, "write `cx: &mut Cx`");
    } else if let Some(other) = other_step(&last.ty, marker) {
        let headline = format!("this is the context of `{other}`, not of step `{step}`");
        errors.push(&last.ty, headline, format_args!("write `cx: &mut Cx<'_, {marker}>`, or `cx: &mut Cx` for short"));
    }
}

/// The step in `Cx<'_, step>` if it is not this one.
fn other_step(ty: &Type, marker: &Ident) -> Option<String> {
    match context_type::step(ty)? {
        Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident != *marker) => {
            Some(path_text(&path.path))
        }
        _ => None,
    }
}

/// The function must return a `Result`.
pub(crate) fn check_output(function: &Function, errors: &mut Errors) {
    let step = &function.sig.ident;
    let headline = format!("step `{step}` must return a `Result`");
    let help = "write `-> Result<T, E>`, where `E` derives `ReconcileError`";
    match &function.sig.output {
        ReturnType::Default => errors.push(step, headline, help),
        ReturnType::Type(_, ty) => {
            if !matches!(&**ty, Type::Path(_)) {
                errors.add(mistake(ty, headline, help));
            }
        }
    }
}
