//! Functions that set no condition and are not steps: `#[claim]` prepares an object before its finalizer is stored, `#[hook]` runs at a
//! point in the life of an object, `#[daemon]` runs independently of the passes of an object.

mod check;
mod expand;
mod model;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

use self::model::Moment;
pub(crate) use self::model::{Args, What};
use crate::errors::Errors;
use crate::sub_reconciler::{Parts, is_word};
use crate::syntax::args::{Arg, Keys, parse_args, split};
use crate::syntax::context_type;
use crate::syntax::duration::parse_duration;
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::marker::Marker;
use crate::syntax::signature::{bind_generics, parse_function};

const CLAIM: Keys = Keys { known: &["crate"], many: &[] };
const DAEMON: Keys = Keys { known: &["timeout", "crate"], many: &[] };
const HOOK: Keys =
    Keys { known: &["read", "before_steps", "after_steps", "before_delete", "after_delete", "crate"], many: &[] };

/// Expands the attribute. On errors the function is retained and still counts as a claim, a hook or a daemon.
pub(crate) fn attribute(what: What, args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(function) = parse_function(what.word(), item, &mut errors) else {
        return quote!(#item #errors);
    };
    let Parts { function, marker, impls } = parts(what, args, Krate::DEFAULT, function, &mut errors);
    quote!(#function #marker #impls #errors)
}

/// Expands the attribute on a method of a reconciler struct.
pub(crate) fn method(what: What, args: TokenStream, krate: Krate, function: Function, errors: &mut Errors) -> Parts {
    let mut found = Errors::default();
    let parts = parts(what, args, krate, function, &mut found);
    errors.append(found);
    parts
}

fn parts(what: What, args: TokenStream, krate: Krate, mut function: Function, errors: &mut Errors) -> Parts {
    let args = parse(what, args, krate, &function, errors);
    let shape = check::shape(what, &function, errors);
    if what == What::Daemon {
        let handle = &args.krate;
        context_type::replace(&mut function, &syn::parse_quote!(&#handle::Daemon));
    }
    bind_generics(&mut function, shape.as_ref().map(|shape| &shape.object), &args.krate);
    let marker = Marker::of(&function, None);
    expand::expand(&Moment { what, args, function, marker, shape })
}

fn parse(what: What, tokens: TokenStream, krate: Krate, function: &Function, errors: &mut Errors) -> Args {
    let keys = match what {
        What::Claim => &CLAIM,
        What::Hook => &HOOK,
        What::Daemon => &DAEMON,
    };
    let before = errors.count();
    let (strange, own): (Vec<_>, Vec<_>) = split(tokens)
        .into_iter()
        .partition(|arg| step_word(arg).is_some_and(|word| !keys.known.iter().any(|key| word == key)));
    for word in strange.iter().filter_map(step_word) {
        check::refuse_step_word(what, &word, errors);
    }
    let mut args = Args { krate, when: None, timeout: None };
    for arg in parse_args(quote!(#(#own),*), keys, errors) {
        if arg.key == "crate" {
            args.krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse)).unwrap_or(args.krate);
        } else if arg.key == "timeout" {
            let limit = arg.value("\"10m\"").and_then(|value| parse_duration("timeout", value));
            args.timeout = errors.take(limit);
        } else {
            take_when(&mut args, &arg, errors);
        }
    }
    if what == What::Hook && args.when.is_none() && errors.count() == before {
        check::refuse_never(function, errors);
    }
    args
}

/// The argument if it is one of a step: its author has probably mistaken the attribute for that of a step.
fn step_word(arg: &TokenStream) -> Option<Ident> {
    match arg.clone().into_iter().next()? {
        TokenTree::Ident(word) if is_word(&word) => Some(word),
        _ => None,
    }
}

fn take_when(args: &mut Args, arg: &Arg, errors: &mut Errors) {
    if errors.take(arg.word()).is_some() && args.when.replace(arg.key.clone()).is_some() {
        errors.push(&arg.key, "a hook runs at one point", "keep one of them, and let two hooks call one function");
    }
}
