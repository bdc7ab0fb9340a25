//! The methods of a watcher: `add`, `update`, `sync` and `delete`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{GenericArgument, PathArguments, Receiver, ReceiverKind, ReturnType, Type};

use super::args::{Cache, WatcherArgs};
use super::expand::{Calls, STEP, code_of};
use crate::errors::Errors;
use crate::reconciler::impl_block::members;
use crate::syntax::block::{Block, Item};
use crate::syntax::context_type::{self, fill_in, is_context, mend};
use crate::syntax::function::{Function, behind};
use crate::syntax::reason_literal::{check_reasons, hold};
use crate::syntax::signature::{check_generics, check_plain};
use crate::syntax::suggest;

const METHODS: [&str; 4] = ["add", "update", "sync", "delete"];

/// Names that people give these methods elsewhere.
const SYNONYMS: [(&str, &str); 12] = [
    ("create", "add"),
    ("created", "add"),
    ("added", "add"),
    ("change", "update"),
    ("changed", "update"),
    ("modify", "update"),
    ("updated", "update"),
    ("resync", "sync"),
    ("synced", "sync"),
    ("remove", "delete"),
    ("removed", "delete"),
    ("deleted", "delete"),
];

/// One method.
#[derive(Clone)]
pub(super) struct Method {
    pub(super) name: Ident,
    /// Whether it takes the context.
    pub(super) has_context: bool,
    /// What it does with the context.
    code: TokenStream,
}

/// The methods that the author wrote.
pub(super) struct Methods {
    /// The kind, as in the first method.
    pub(super) object: Type,
    /// The return type, as in the first method.
    pub(super) output: ReturnType,
    pub(super) vis: syn::Visibility,
    pub(super) add: Option<Method>,
    pub(super) update: Option<Method>,
    pub(super) sync: Option<Method>,
    pub(super) delete: Option<Method>,
}

impl Methods {
    /// The calls for each event. A method that is missing is replaced by the next one: `update` by `sync`, `sync` by `add`.
    pub(super) fn calls(&self, args: &WatcherArgs) -> Calls {
        let Self { object, output, vis, add, update, sync, delete } = self;
        let krate = &args.krate;
        let of = |method: Option<&Method>, objects: &TokenStream| {
            let Some(Method { name, has_context, .. }) = method else {
                return quote!(#krate::std::result::Result::Ok(()));
            };
            let context = has_context.then(|| quote!(cx)).into_iter();
            quote_spanned!(name.span()=> self.#name(#objects #(#context)*).await)
        };
        let last = quote!(object,);
        let now = if args.caches(Cache::None) { quote!(&whole,) } else { last.clone() };
        let code = [add, update, sync].into_iter().flatten().map(|method| method.code.clone()).collect();
        let sync_or_add = of(sync.as_ref().or(add.as_ref()), &now);
        let (update, update_alone) = match update {
            None => (sync_or_add.clone(), sync_or_add.clone()),
            Some(_) if !args.has_previous() => (of(update.as_ref(), &now), of(update.as_ref(), &now)),
            Some(_) => (of(update.as_ref(), &quote!(&old, object,)), sync_or_add.clone()),
        };
        Calls {
            vis: vis.clone(),
            object: object.clone(),
            output: output.clone(),
            add: of(add.as_ref().or(sync.as_ref()), &now),
            update,
            update_alone,
            sync: sync_or_add,
            delete: of(delete.as_ref(), &last),
            code,
            delete_code: delete.iter().map(|method| method.code.clone()).collect(),
        }
    }
}

/// Finds the methods, and gives their contexts the type of the step.
pub(super) fn read(args: &WatcherArgs, block: &mut Block, errors: &mut Errors) -> Option<Methods> {
    let (name, module) = members::names(&block.self_ty, args.module.as_ref());
    let step = Ident::new(STEP, name.span());
    let mut found: Option<Methods> = None;
    let mut is_misnamed = false;
    for item in &mut block.items {
        let Item::Function(function) = item else { continue };
        let name = function.sig.ident.to_string();
        if !METHODS.contains(&name.as_str()) {
            is_misnamed |= check_name(function, errors);
            continue;
        }
        let before = errors.count();
        check_signature(function, errors);
        let Some((object, method)) = parse(args, function, errors) else { continue };
        if errors.count() > before {
            continue;
        }
        fill_in(function, &quote!(#module::#step));
        hold_to_reasons(args, function, errors);
        let methods = found.get_or_insert_with(|| Methods {
            object: object.clone(),
            output: function.sig.output.clone(),
            vis: function.vis.clone(),
            add: None,
            update: None,
            sync: None,
            delete: None,
        });
        check_kind(&methods.object, &object, &method, errors);
        match name.as_str() {
            "add" => methods.add = Some(method),
            "update" => methods.update = Some(method),
            "sync" => methods.sync = Some(method),
            _ => methods.delete = Some(method),
        }
    }
    if errors.count() == 0 && !is_misnamed {
        check_missing(args, block, found.as_ref(), errors);
    }
    found
}

/// A method with the name that another framework gives an event is probably meant as one.
fn check_name(function: &Function, errors: &mut Errors) -> bool {
    let (name, params) = (function.sig.ident.to_string(), function.params());
    let is_event = function.sig.asyncness.is_some()
        && function.sig.receiver().is_some()
        && params.first().is_some_and(|param| behind(&param.ty).is_some_and(|ty| ty.mutability.is_none()));
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == name).map(|(_, ours)| *ours);
    let meant =
        synonym.or_else(|| suggest::nearest(&name, &METHODS).filter(|near| near.len().abs_diff(name.len()) < 2));
    let Some(meant) = meant.filter(|_| is_event) else { return false };
    errors.push(&function.sig.ident, format_args!("`{name}` is no event"), format_args!("did you mean `{meant}`?"));
    true
}

fn check_signature(function: &Function, errors: &mut Errors) {
    let what = format!("`{}`", function.sig.ident);
    check_plain(&what, &function.sig, errors);
    check_generics(&what, &function.sig, errors);
    let is_borrow = |receiver: &&Receiver| matches!(receiver.kind, ReceiverKind::Reference(_, _, None));
    if function.sig.receiver().filter(is_borrow).is_none() {
        errors.push(&function.sig.ident, format_args!("{what} must take `&self`"), "write `&self` first");
    }
    if matches!(function.sig.output, ReturnType::Default) {
        let help = "write `-> Result<(), E>`, where `E` derives `ReconcileError`";
        errors.push(&function.sig.ident, format_args!("{what} must return a `Result`"), help);
    }
}

/// The kind and the parameters of a method.
fn parse(args: &WatcherArgs, function: &mut Function, errors: &mut Errors) -> Option<(Type, Method)> {
    let name = function.sig.ident.clone();
    let takes_two = name == "update" && args.has_previous();
    let is_cx = |function: &Function| function.params().last().is_some_and(|last| is_context(&last.ty, "Cx"));
    let has_context = is_cx(function) || function.params().len() > 1 && mend(function);
    let params = function.params();
    let objects = &params[..params.len() - usize::from(has_context)];
    let wanted = 1 + usize::from(takes_two);
    if objects.len() != wanted {
        let (headline, help) = match (takes_two, objects.get(1)) {
            (true, None) => (
                "`update` takes the object as it was handled last, too".to_owned(),
                "write `async fn update(&self, old: &K, object: &K)`, or say `previous = none`",
            ),
            (false, Some(_)) if name == "update" => {
                let key = if args.caches(Cache::None) { "cache" } else { "previous" };
                (format!("with `{key} = none` there is no earlier object"), "leave the parameter out")
            }
            _ => (format!("`{name}` takes the object and the context only"), "make other values fields of the struct"),
        };
        let surplus = match name == "update" {
            true => objects.get(wanted).and(objects.first()),
            false => objects.get(wanted),
        };
        match surplus {
            Some(param) => errors.push(param, headline, help),
            None => errors.push(&name, headline, help),
        }
        return None;
    }
    let mut kinds = objects.iter().map(|param| match behind(&param.ty) {
        Some(reference) if reference.mutability.is_none() => Some((*reference.elem).clone()),
        _ => {
            let ty = behind(&param.ty).map_or(&*param.ty, |reference| &reference.elem).to_token_stream();
            let help = format!("write `{}: &{}`", param.pat.to_token_stream(), ty.to_string().replace(' ', ""));
            errors.push(&param.ty, format_args!("`{name}` borrows its object"), help);
            None
        }
    });
    let object = kinds.next_back()??;
    let object = match args.caches(Cache::None) && args.has_no_status() {
        true => kind_of_none(&name, object, errors)?,
        false => {
            check_form(args, &object, errors);
            object
        }
    };
    let code = code_of(function, has_context);
    Some((object, Method { name, has_context, code }))
}

/// Checks the literal reasons that a function sets, as in a step.
pub(super) fn hold_to_reasons(args: &WatcherArgs, function: &mut Function, errors: &mut Errors) {
    let is_cx = function.params().last().is_some_and(|last| is_context(&last.ty, "Cx"));
    if let Some(context) = context_type::name(function).filter(|_| is_cx) {
        check_reasons(&function.body, context, errors);
        function.body = hold(&function.body, context, &args.krate);
    }
}

/// The kind with `cache = none`: `delete` takes what is left of an object that may be gone, the others take whole objects.
fn kind_of_none(name: &Ident, object: Type, errors: &mut Errors) -> Option<Type> {
    match (name == "delete", metadata_of(&object)) {
        (true, Some(kind)) => Some(kind.clone()),
        (false, None) => Some(object),
        (true, None) => {
            let help = format!("write `&Metadata<{}>`", object.to_token_stream().to_string().replace(' ', ""));
            errors.push(&object, "with `cache = none` the content of a deleted object is not known", help);
            None
        }
        (false, Some(kind)) => {
            let help = format!("write `&{}`", kind.to_token_stream().to_string().replace(' ', ""));
            errors.push(&object, format_args!("with `cache = none` `{name}` takes the whole object"), help);
            None
        }
    }
}

/// The kind of `Metadata<K>`.
fn metadata_of(object: &Type) -> Option<&Type> {
    let Type::Path(path) = object else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    let kind = args.args.iter().find_map(|arg| match arg {
        GenericArgument::Type(kind) => Some(kind),
        _ => None,
    });
    kind.filter(|_| last.ident == "Metadata" || last.ident == "PartialObjectMeta")
}

/// With `cache = metadata` there is no content.
pub(super) fn check_form(args: &WatcherArgs, object: &Type, errors: &mut Errors) {
    if args.caches(Cache::Metadata) && args.has_no_status() && metadata_of(object).is_none() {
        let kind = object.to_token_stream().to_string().replace(' ', "");
        let help = format!("write `Metadata<{kind}>`");
        errors.push(object, "with `cache = metadata` objects have no content", help);
    }
}

fn check_kind(first: &Type, object: &Type, method: &Method, errors: &mut Errors) {
    let text = |ty: &Type| ty.to_token_stream().to_string().replace(' ', "");
    let (first, other) = (text(first), text(object));
    if first != other {
        let headline = format!("`{}` is for `{other}`, the first method for `{first}`", method.name);
        errors.push(object, headline, format_args!("write `&{first}`"));
    }
}

fn check_missing(args: &WatcherArgs, block: &Block, found: Option<&Methods>, errors: &mut Errors) {
    let kind = found.map_or_else(|| "K".to_owned(), |it| it.object.to_token_stream().to_string().replace(' ', ""));
    let ty = &block.self_ty;
    if !found.is_some_and(|methods| methods.add.is_some() || methods.sync.is_some()) {
        let help = format!("write `async fn add(&self, object: &{kind}, cx: &mut Cx) -> Result<(), E>`");
        return errors.push(ty, "a watcher needs `add`", help);
    }
    if found.is_some_and(|methods| methods.delete.is_none()) && args.plain.is_none() && args.no_undo.is_none() {
        let help = "write `delete`, or say `plain` or `undo = none`";
        errors.push(ty, "nothing is undone when an object is deleted", help);
    }
    if let Some(delete) = found.and_then(|it| it.delete.as_ref()).filter(|_| args.no_undo.is_some()) {
        errors.push(&delete.name, "`undo = none` and `delete` exclude each other", "keep one of them");
    }
}
