//! The methods of the struct by kind: pipeline, steps, cleanups, others.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident};
use syn::spanned::Spanned;
use syn::{Attribute, Path, Type, Visibility, parse_quote};

use super::check::check_cfg;
use crate::errors::Errors;
use crate::lifecycle::{self, What};
use crate::reconciler::args::ReconcilerArgs;
use crate::sub_reconciler::{Method, Order, Parts, precondition};
use crate::syntax::args::arguments;
use crate::syntax::block::{Block, Item};
use crate::syntax::function::{Function, Home};
use crate::syntax::krate::Krate;
use crate::syntax::names::{plain, snake};
use crate::{cleanup, sub_reconciler};

pub(super) struct Members {
    pub(super) home: Home,
    pub(super) reconcile: Option<Function>,
    /// Steps and cleanups.
    pub(super) parts: Vec<Parts>,
    /// The items that are not changed.
    pub(super) others: Vec<TokenStream>,
    /// The removed attributes, so that their names count as used.
    pub(super) attributes: Vec<Path>,
    /// The object of the steps, if there is no pipeline to take it from.
    pub(super) object: Option<Type>,
    /// The marker of the observer.
    pub(super) observer: Option<Path>,
    /// The marker of the claim.
    pub(super) claim: Option<Path>,
    /// The markers of the hooks.
    pub(super) hooks: Vec<Path>,
    /// The markers of the daemons.
    pub(super) daemons: Vec<Path>,
    /// Whether every step can be called.
    pub(super) callable: bool,
}

/// The information on the struct that its methods share.
pub(super) fn home(args: &ReconcilerArgs, block: &Block) -> Home {
    let (name, module) = names(&block.self_ty, args.module.as_ref());
    let functions = || block.items.iter().filter_map(function);
    let makes_step = |attr: &Attribute| STEPS.iter().any(|name| is(attr, name));
    let is_step = |function: &&Function| function.attrs.iter().any(makes_step);
    let steps = functions().filter(is_step).map(|step| step.sig.ident.clone()).collect();
    let methods = functions().map(|method| method.sig.ident.clone()).collect();
    let pipeline = functions().find(|function| function.sig.ident == "reconcile");
    let outer = pipeline.map_or(Visibility::Inherited, |function| function.vis.clone());
    Home { ty: block.self_ty.clone(), name, module, vis: within(&outer), outer, methods, steps }
}

/// The name of the struct, and that of the module of its markers.
pub(crate) fn names(ty: &Type, given: Option<&Ident>) -> (Ident, Ident) {
    let name = match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.clone()),
        _ => None,
    };
    let name = name.unwrap_or_else(|| format_ident!("Reconciler"));
    let module = given.cloned().unwrap_or_else(|| module(&name));
    (name, module)
}

/// The module name for a struct: `git_repositories` for `GitRepositories`.
fn module(name: &Ident) -> Ident {
    let text = snake(&plain(name));
    // The name may become a keyword in lower case, as `Match` does.
    match syn::parse_str::<Ident>(&text) {
        Ok(_) => Ident::new(&text, name.span()),
        Err(_) => Ident::new_raw(&text, name.span()),
    }
}

/// A visibility relative to the module of the markers.
fn within(vis: &Visibility) -> Visibility {
    match vis {
        Visibility::Inherited => parse_quote!(pub(super)),
        Visibility::Restricted(restricted) if restricted.path.is_ident("self") => parse_quote!(pub(super)),
        Visibility::Restricted(restricted) if restricted.path.segments.first().is_some_and(|s| s.ident == "super") => {
            let path = &restricted.path;
            parse_quote!(pub(in super::#path))
        }
        vis => vis.clone(),
    }
}

fn function(item: &Item) -> Option<&Function> {
    match item {
        Item::Function(function) => Some(function),
        Item::Other(_) => None,
    }
}

/// Whether the attribute is `#[name]` or `#[path::name]`.
fn is(attr: &Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|segment| segment.ident == name)
}

/// The attributes that give a method of a struct a role in its reconciler.
const ATTRIBUTES: [&str; 5] = ["cleanup", "observe", "claim", "hook", "daemon"];

/// Those among them that make it a step. `check` is the former name of two of them.
const STEPS: [&str; 4] = ["sub_reconciler", "precondition", "postcondition", "check"];

/// Removes the attribute that makes a method a step, a cleanup, an observer, a claim, a hook or a daemon.
pub(super) fn take_attribute(function: &mut Function) -> Option<Attribute> {
    let ours = |attr: &Attribute| ATTRIBUTES.iter().chain(&STEPS).any(|name| is(attr, name));
    let at = function.attrs.iter().position(ours)?;
    Some(function.attrs.remove(at))
}

/// Moves the methods out of the block.
pub(super) fn read(krate: &Krate, block: &mut Block, home: &Home, errors: &mut Errors) -> Members {
    let mut members = Members {
        home: home.clone(),
        reconcile: None,
        parts: Vec::new(),
        others: Vec::new(),
        attributes: Vec::new(),
        object: None,
        observer: None,
        claim: None,
        hooks: Vec::new(),
        daemons: Vec::new(),
        callable: true,
    };
    for item in std::mem::take(&mut block.items) {
        match item {
            Item::Function(function) => members.take(krate, *function, errors),
            Item::Other(tokens) => members.others.push(tokens),
        }
    }
    members
}

impl Members {
    fn take(&mut self, krate: &Krate, mut function: Function, errors: &mut Errors) {
        let Some(attr) = take_attribute(&mut function) else { return self.take_plain(function) };
        function.home = Some(self.home.clone());
        let args = arguments(&attr);
        if is(&attr, "cleanup") {
            check_cfg("cleanup", &function, errors);
            self.parts.push(cleanup::method(args, krate.clone(), function, errors));
        } else if is(&attr, "claim") {
            check_cfg("claim", &function, errors);
            self.take_claim(&function.sig.ident, errors);
            self.parts.push(lifecycle::method(What::Claim, args, krate.clone(), function, errors));
        } else if let Some(what) = [What::Hook, What::Daemon].into_iter().find(|what| is(&attr, what.word())) {
            check_cfg(what.word(), &function, errors);
            let (module, name) = (&self.home.module, &function.sig.ident);
            let of_its_sort = if what == What::Hook { &mut self.hooks } else { &mut self.daemons };
            of_its_sort.push(parse_quote!(#module::#name));
            self.parts.push(lifecycle::method(what, args, krate.clone(), function, errors));
        } else if is(&attr, "observe") {
            check_cfg("observer", &function, errors);
            self.take_observer(&function.sig.ident, errors);
            self.parts.push(sub_reconciler::observe_attribute::method(args, krate.clone(), function, errors));
        } else {
            let step = step(&attr, args, krate.clone(), function, errors);
            self.callable &= step.callable;
            self.object = self.object.take().or(step.object);
            self.parts.push(step.parts);
        }
        self.attributes.push(attr.path().clone());
    }

    fn take_observer(&mut self, name: &Ident, errors: &mut Errors) {
        let module = &self.home.module;
        if self.observer.replace(parse_quote!(#module::#name)).is_some() {
            errors.push(name, "a reconciler has one observer", "let one `#[observe]` do both");
        }
    }

    fn take_claim(&mut self, name: &Ident, errors: &mut Errors) {
        let module = &self.home.module;
        if self.claim.replace(parse_quote!(#module::#name)).is_some() {
            errors.push(name, "a reconciler has one claim", "let one `#[claim]` do both");
        }
    }

    fn take_plain(&mut self, mut function: Function) {
        if function.sig.ident == "reconcile" {
            function.home = Some(self.home.clone());
            self.reconcile = Some(function);
        } else {
            self.others.push(function.to_token_stream());
        }
    }
}

/// Expands a method that is a step of any sort.
fn step(attr: &Attribute, args: TokenStream, krate: Krate, function: Function, errors: &mut Errors) -> Method {
    let (order, args) = if is(attr, "check") {
        let (order, args) = precondition::refuse_former(attr.path().span(), args, errors);
        (Some(order), args)
    } else {
        ([Order::Before, Order::After].into_iter().find(|order| is(attr, order.word())), args)
    };
    check_cfg(order.map_or("step", Order::word), &function, errors);
    match order {
        Some(order) => precondition::method(order, args, krate, function, errors),
        None => sub_reconciler::method(args, krate, function, errors),
    }
}
