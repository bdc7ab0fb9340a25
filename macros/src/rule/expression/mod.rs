//! Reads the body of a rule, and prints it as a constant of the runtime, which knows the schema and prints CEL.

mod closure;
mod literal;
mod method;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{BinOp, Block, Expr, ExprCall, ExprIf, ExprLit, Lit, Member, Stmt, UnOp};

use crate::errors::Errors;
use crate::syntax::krate::Krate;
use crate::syntax::names::{path_text, plain};
use crate::syntax::suggest;

/// Conversions between integers, which CEL has of one type.
const WIDENED: [&str; 7] =
    ["i16::from", "i32::from", "i64::from", "u16::from", "u32::from", "u64::from", "usize::from"];

/// Reads expressions.
pub(super) struct Reader<'r> {
    /// Under its short name.
    krate: Krate,
    errors: &'r mut Errors,
    /// The names in scope, innermost last, and what they stand for.
    scope: Vec<(Ident, TokenStream)>,
    old: Option<Ident>,
    next: u32,
    pub(super) uses_old: bool,
    pub(super) has_unknown_name: bool,
}

impl<'r> Reader<'r> {
    /// Reads a function with these parameters.
    pub(super) fn new(krate: &Krate, parameters: Vec<Option<Ident>>, errors: &'r mut Errors) -> Self {
        let krate = krate.short();
        let old = parameters.get(1).cloned().flatten();
        let named = ["New", "Old", "Request"].map(|name| Ident::new(name, proc_macro2::Span::call_site()));
        let scope = parameters.into_iter().zip(named).filter_map(|(name, parameter)| {
            Some((name?, quote!(#krate::Expression::Parameter(#krate::Parameter::#parameter))))
        });
        let scope = scope.collect();
        Self { krate, errors, scope, old, next: 0, uses_old: false, has_unknown_name: false }
    }

    /// Reads a block with a single expression.
    pub(super) fn block(&mut self, block: &Block) -> Option<TokenStream> {
        match block.stmts.as_slice() {
            [Stmt::Expr(expr, None)] => self.read(expr),
            [Stmt::Expr(expr, Some(_))] => self.refuse(expr, "a statement"),
            [] => {
                self.errors.push(block, "a rule returns an expression", "write `true` for a rule that always holds");
                None
            }
            [first, ..] => self.refuse(first, "a statement"),
        }
    }

    /// Refuses a part of the body.
    fn refuse(&mut self, node: impl ToTokens, what: &str) -> Option<TokenStream> {
        let help = "write it as one expression of the forms in the docs of `#[rule]`; `#[validate]` runs Rust";
        self.errors.push(node, format_args!("{what} has no form in CEL"), help);
        None
    }

    /// Reads an expression. All errors in it are reported.
    fn read(&mut self, expr: &Expr) -> Option<TokenStream> {
        let krate = self.krate.clone();
        match expr {
            Expr::Paren(inner) => self.read(&inner.expr),
            Expr::Group(inner) => self.read(&inner.expr),
            Expr::Reference(inner) if inner.mutability.is_none() => self.read(&inner.expr),
            Expr::Block(block) if block.label.is_none() => self.block(&block.block),
            Expr::Lit(lit) => self.literal(&lit.lit, false),
            Expr::Path(path) if path.qself.is_none() => self.path(&path.path),
            Expr::Field(field) => {
                let base = self.read(&field.base);
                match &field.member {
                    Member::Named(name) => {
                        let (base, name) = (base?, plain(name));
                        Some(quote!(#krate::Expression::Field(&#base, #name)))
                    }
                    Member::Unnamed(index) => self.refuse(index, "a field without a name"),
                }
            }
            Expr::Unary(unary) => match (&unary.op, &*unary.expr) {
                (UnOp::Deref(_), inner) => self.read(inner),
                (UnOp::Neg(_), Expr::Lit(lit)) => self.literal(&lit.lit, true),
                (UnOp::Neg(_), inner) => self.read(inner).map(|value| quote!(#krate::Expression::Negative(&#value))),
                (UnOp::Not(_), inner) => self.read(inner).map(|value| quote!(#krate::Expression::Not(&#value))),
                _ => self.refuse(expr, "this operator"),
            },
            Expr::Binary(binary) => {
                let (left, right) = (self.read(&binary.left), self.read(&binary.right));
                let Some(operator) = operator(&binary.op) else { return self.refuse(binary.op, "this operator") };
                let (operator, left, right) = (Ident::new(operator, proc_macro2::Span::call_site()), left?, right?);
                Some(quote!(#krate::Expression::Binary(#krate::RuleOperator::#operator, &#left, &#right)))
            }
            Expr::If(choice) => self.choice(choice),
            Expr::MethodCall(call) => self.method(call),
            Expr::Call(call) => self.function(call),
            Expr::Macro(call) => self.refuse(&call.mac.path, "a macro"),
            Expr::Match(inner) => self.refuse(inner.match_token, "`match`"),
            Expr::Let(inner) => self.refuse(inner.let_token, "`let`"),
            Expr::Return(inner) => self.refuse(inner.return_token, "`return`"),
            Expr::Cast(inner) => self.refuse(inner.as_token, "`as`"),
            Expr::Index(inner) => self.refuse(&inner.index, "an index"),
            Expr::Closure(inner) => self.refuse(inner, "a closure here"),
            other => self.refuse(other, "this"),
        }
    }

    fn choice(&mut self, choice: &ExprIf) -> Option<TokenStream> {
        let krate = self.krate.clone();
        let (condition, yes) = (self.read(&choice.cond), self.block(&choice.then_branch));
        let Some((_, no)) = &choice.else_branch else {
            return self.refuse(choice.if_token, "an `if` without `else`");
        };
        let (condition, yes, no) = (condition?, yes?, self.read(no)?);
        Some(quote!(#krate::Expression::If(&#condition, &#yes, &#no)))
    }

    /// `Some(x)`, and conversions that JSON does not see: `i64::from(x)`, `String::from("x")`.
    fn function(&mut self, call: &ExprCall) -> Option<TokenStream> {
        let krate = self.krate.clone();
        let name = match &*call.func {
            Expr::Path(path) => path_text(&path.path),
            _ => String::new(),
        };
        match (name.as_str(), call.args.first()) {
            ("Some", Some(value)) if call.args.len() == 1 => {
                self.read(value).map(|value| quote!(#krate::Expression::Some(&#value)))
            }
            (name, Some(value)) if WIDENED.contains(&name) && call.args.len() == 1 => self.read(value),
            ("String::from", Some(value)) if is_text(value) => self.read(value),
            _ => self.refuse(call, "a call of a function"),
        }
    }

    /// A parameter, the parameter of a closure, or a constant.
    fn path(&mut self, path: &syn::Path) -> Option<TokenStream> {
        let krate = self.krate.clone();
        if path.is_ident("None") {
            return Some(quote!(#krate::Expression::None));
        }
        if let Some(name) = path.get_ident() {
            if let Some((_, value)) = self.scope.iter().rev().find(|(known, _)| known == name) {
                self.uses_old |= self.old.as_ref().is_some_and(|old| old == name);
                return Some(value.clone());
            }
            if plain(name).starts_with(|c: char| c.is_lowercase() || c == '_') {
                return self.unknown(name);
            }
        }
        let last = path.segments.last()?;
        if plain(&last.ident).starts_with(|c: char| c.is_lowercase()) {
            return self.refuse(path, &format!("`{}`", path_text(path)));
        }
        let (text, span) = (path_text(path), last.ident.span());
        let constant = quote::quote_spanned!(span=> || #krate::serde_json::to_value(&#path));
        Some(quote!(#krate::Expression::Constant(#text, #constant)))
    }

    fn unknown(&mut self, name: &Ident) -> Option<TokenStream> {
        let known: Vec<String> = self.scope.iter().map(|(name, _)| plain(name)).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        self.has_unknown_name = true;
        let help = suggest::help(&plain(name), &known);
        self.errors.push(name, format_args!("`{name}` is no parameter of this rule"), help);
        None
    }

    /// The number of a new variable.
    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }
}

fn operator(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::And(_) => "And",
        BinOp::Or(_) => "Or",
        BinOp::Eq(_) => "Equal",
        BinOp::Ne(_) => "NotEqual",
        BinOp::Lt(_) => "Less",
        BinOp::Le(_) => "LessOrEqual",
        BinOp::Gt(_) => "Greater",
        BinOp::Ge(_) => "GreaterOrEqual",
        BinOp::Add(_) => "Add",
        BinOp::Sub(_) => "Subtract",
        BinOp::Mul(_) => "Multiply",
        BinOp::Div(_) => "Divide",
        BinOp::Rem(_) => "Remainder",
        _ => return None,
    })
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(ExprLit { lit: Lit::Str(_), .. }))
}
