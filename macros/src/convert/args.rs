//! The parsed arguments of `#[convert(to = v1::K, stash)]`.

use proc_macro2::TokenStream;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Expr, LitStr, Path, Token};

use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, Value, parse_args};
pub(super) use crate::syntax::field_path::Fields;
use crate::syntax::field_path::field_path;
use crate::syntax::krate::Krate;

const KEYS: Keys = Keys { known: &["to", "stash", "lossy", "deprecated", "crate"], many: &[] };

/// All declarations of a conversion.
#[derive(Default)]
pub(super) struct ConvertArgs {
    pub(super) to: Option<Path>,
    /// `stash`, for all fields if it has no list.
    pub(super) stash: Option<Vec<Fields>>,
    pub(super) lossy: Vec<Fields>,
    pub(super) deprecated: Option<LitStr>,
    pub(super) krate: Krate,
    /// Whether an error in `to` is already reported.
    pub(super) wrong_to: bool,
}

pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> ConvertArgs {
    let mut args = ConvertArgs::default();
    for arg in parse_args(tokens, &KEYS, errors) {
        args.take(&arg, errors);
    }
    args.wrong_to = args.to.is_none() && errors.count() > 0;
    args
}

impl ConvertArgs {
    fn take(&mut self, arg: &Arg, errors: &mut Errors) {
        match arg.key.to_string().as_str() {
            "to" => self.to = errors.take(arg.path("v1::GitRepository")),
            "stash" => self.stash = errors.take(stash(arg)),
            "lossy" => self.lossy = errors.take(fields(arg)).unwrap_or_default(),
            "deprecated" => self.deprecated = errors.take(deprecated(arg)),
            _ => self.krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse)).unwrap_or(Krate::DEFAULT),
        }
    }
}

/// `stash`, or `stash(spec.login)`.
fn stash(arg: &Arg) -> syn::Result<Vec<Fields>> {
    match arg.value {
        Value::Word => Ok(Vec::new()),
        Value::List(_) => fields(arg),
        Value::Is(_) => Err(mistake(&arg.key, "`stash` takes no value", "write `stash`, or `stash(spec.login)`")),
    }
}

fn deprecated(arg: &Arg) -> syn::Result<LitStr> {
    let text = arg.text("\"use v1\"")?;
    if text.value().trim().is_empty() {
        return Err(mistake(&text, "`deprecated` is empty", "write for example `deprecated = \"use v1\"`"));
    }
    Ok(text)
}

/// The paths of `lossy(spec.tags, spec.login.token)`.
fn fields(arg: &Arg) -> syn::Result<Vec<Fields>> {
    let key = &arg.key;
    let example = "spec.tags";
    let list = arg.list(example)?;
    let help = format!("write for example `{key}({example})`");
    let unreadable = |_| mistake(&list, format_args!("`{key}` takes paths of fields"), &help);
    let paths = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(list.clone()).map_err(unreadable)?;
    let one = |path: &Expr| {
        let unknown = || mistake(path, format_args!("`{key}` takes paths of fields"), &help);
        let fields = field_path(path).ok_or_else(unknown)?;
        match fields.first().is_some_and(|first| first == "spec" || first == "status") && fields.len() > 1 {
            true => Ok(fields),
            false => Err(mistake(path, "a path begins with `spec.` or `status.`", &help)),
        }
    };
    paths.iter().map(one).collect()
}
