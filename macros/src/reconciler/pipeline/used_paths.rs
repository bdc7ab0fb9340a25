//! The paths in the body of an invalid pipeline. They count as used, so that no warning follows from the error.

use proc_macro2::Ident;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Block, Expr, ExprCall, ExprMethodCall, Macro, Pat, Path, Token};

use super::callee::is_self;
use crate::syntax::function::Function;

/// The paths that the body awaits, skips, or calls with the context.
pub(crate) fn mentioned(function: &Function) -> Vec<Path> {
    let methods = function.home.as_ref().map_or_else(Vec::new, |home| home.methods.clone());
    let mut found = Mentioned { methods, context: None, paths: Vec::new() };
    let params = function.params();
    let Some(Pat::Ident(context)) = params.last().map(|last| &*last.pat) else { return found.paths };
    found.context = Some(context.ident.clone());
    let statements = Block::parse_within.parse2(function.body.stream()).unwrap_or_default();
    for statement in &statements {
        found.visit_stmt(statement);
    }
    found.paths
}

struct Mentioned {
    methods: Vec<Ident>,
    context: Option<Ident>,
    paths: Vec<Path>,
}

impl<'ast> Visit<'ast> for Mentioned {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let context = self.context.clone();
        let has_context = call.args.iter().any(|arg| match arg {
            Expr::Path(path) => path.path.get_ident() == context.as_ref(),
            _ => false,
        });
        match (&*call.func, call.args.first()) {
            (Expr::Path(path), _) if has_context => self.paths.push(path.path.clone()),
            (Expr::Path(path), Some(Expr::Path(step))) if path.path.is_ident("skip") => {
                self.paths.push(step.path.clone());
            }
            _ => {}
        }
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let method = &call.method;
        if is_self(&call.receiver) && self.methods.contains(method) {
            self.paths.push(syn::parse_quote!(Self::#method));
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    /// Visits the arguments of a log line if all of them are expressions. An argument such as `?value` is not one.
    fn visit_macro(&mut self, call: &'ast Macro) {
        let arguments = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated).unwrap_or_default();
        for argument in arguments {
            let mut inner =
                Mentioned { methods: self.methods.clone(), context: self.context.clone(), paths: Vec::new() };
            inner.visit_expr(&argument);
            self.paths.append(&mut inner.paths);
        }
    }

    fn visit_expr_await(&mut self, awaited: &'ast syn::ExprAwait) {
        if let Expr::Call(call) = &*awaited.base
            && let Expr::Path(path) = &*call.func
            && !["join", "skip"].iter().any(|word| path.path.is_ident(word))
        {
            self.paths.push(path.path.clone());
        }
        syn::visit::visit_expr_await(self, awaited);
    }
}
