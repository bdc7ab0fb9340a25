//! The parsed arguments of `#[route(get, "/artifact", of = K)]`.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{LitStr, Path};

use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, parse_args, split};
use crate::syntax::duration::parse_duration;
use crate::syntax::krate::Krate;

/// The methods, which are words.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

const KEYS: Keys =
    Keys { known: &["get", "post", "put", "patch", "delete", "of", "resource", "timeout", "crate"], many: &[] };

/// All declarations of a route.
#[derive(Default)]
pub(super) struct RouteArgs {
    pub(super) methods: Vec<Ident>,
    pub(super) path: Option<LitStr>,
    pub(super) of: Option<Path>,
    pub(super) resource: Option<LitStr>,
    pub(super) timeout: Option<Duration>,
    pub(super) krate: Krate,
    /// Whether an error in the arguments is already reported.
    pub(super) wrong: bool,
}

pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> RouteArgs {
    let before = errors.count();
    let (mut args, mut keyed) = (RouteArgs::default(), Vec::new());
    for part in split(tokens) {
        match syn::parse2::<LitStr>(part.clone()) {
            Ok(second) if args.path.is_some() => {
                errors.push(second, "the path is given twice", "keep one of them");
            }
            Ok(path) => args.path = Some(path),
            Err(_) => keyed.push(part),
        }
    }
    for arg in parse_args(quote!(#(#keyed),*), &KEYS, errors) {
        args.take(&arg, errors);
    }
    args.wrong = errors.count() > before;
    args
}

impl RouteArgs {
    fn take(&mut self, arg: &Arg, errors: &mut Errors) {
        match arg.key.to_string().as_str() {
            "of" => self.of = errors.take(arg.path("GitRepository")),
            "resource" => self.resource = errors.take(resource(arg)),
            "timeout" => self.timeout = errors.take(timeout(arg)),
            "crate" => {
                self.krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse)).unwrap_or(Krate::DEFAULT);
            }
            method if METHODS.contains(&method) => self.methods.extend(errors.take(arg.keyword())),
            _ => {}
        }
    }
}

/// `gitrepositories/artifact`
fn resource(arg: &Arg) -> syn::Result<LitStr> {
    let text = arg.text("\"gitrepositories/artifact\"")?;
    let value = text.value();
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c))
    };
    match value.split_once('/') {
        Some((plural, subresource)) if is_name(plural) && is_name(subresource) => Ok(text),
        _ => Err(mistake(
            &text,
            format_args!("`{value}` is not a plural and a subresource"),
            "write for example `resource = \"gitrepositories/artifact\"`",
        )),
    }
}

fn timeout(arg: &Arg) -> syn::Result<Duration> {
    parse_duration("timeout", arg.value("\"30s\"")?)
}
