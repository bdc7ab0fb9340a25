//! The statements of a pipeline: calls of steps, joins, loops, branches, skips, log lines.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, LitStr, Macro, Pat, Token, parse_quote};

use super::callee::Callee;
use crate::syntax::hidden::hidden;

/// The body of a reconciler.
pub(crate) struct Pipeline {
    pub(crate) statements: Vec<Statement>,
}

/// One statement of a pipeline.
pub(crate) enum Statement {
    /// `[let pattern =] step(..).await?;`
    Call(Box<Call>),
    /// `[let pattern =] if condition { .. } else { .. }`, or a `match`.
    Branch(Branch),
    /// `[let pattern =] join(a(..), b(..)).await?;`
    Join(Join),
    /// `for item in items { step(..).await?; }`
    Each(Box<Each>),
    /// `skip(step, "Reason");`
    Skip(Skip),
    /// `tracing::info!(..);`
    Log(Macro),
    /// The value of an arm of a branch.
    Value(TokenStream),
}

impl Statement {
    /// The calls of steps, in written order.
    pub(crate) fn calls(&self) -> Vec<&Call> {
        match self {
            Self::Call(call) => vec![call],
            Self::Each(each) => vec![&each.call],
            Self::Join(join) => join.calls.iter().collect(),
            Self::Branch(branch) => branch.arms.iter().flat_map(|arm| &arm.statements).flat_map(Self::calls).collect(),
            Self::Skip(_) | Self::Log(_) | Self::Value(_) => Vec::new(),
        }
    }

    /// The joins, including those in branches.
    fn joins(&self) -> Vec<&Join> {
        match self {
            Self::Join(join) => vec![join],
            Self::Branch(branch) => branch.arms.iter().flat_map(|arm| &arm.statements).flat_map(Self::joins).collect(),
            _ => Vec::new(),
        }
    }

    /// The calls in loops, including those in branches.
    fn loops(&self) -> Vec<&Call> {
        match self {
            Self::Each(each) => vec![&each.call],
            Self::Branch(branch) => branch.arms.iter().flat_map(|arm| &arm.statements).flat_map(Self::loops).collect(),
            _ => Vec::new(),
        }
    }

    /// Converts a step at the end of an arm: its value becomes that of the arm.
    pub(crate) fn handing_on(mut self) -> Vec<Self> {
        let value = hidden("value");
        let bound = match &mut self {
            Self::Call(call) => &mut call.bound,
            Self::Join(join) => &mut join.bound,
            _ => return vec![self],
        };
        *bound = Some((Token![let](Span::mixed_site()), parse_quote!(#value)));
        vec![self, Self::Value(value.into_token_stream())]
    }
}

impl Pipeline {
    /// The steps in the order of their first call, which is the order of the wiring.
    pub(crate) fn calls(&self) -> Vec<&Call> {
        let mut found: Vec<&Call> = Vec::new();
        for call in self.statements.iter().flat_map(Statement::calls) {
            if !found.iter().any(|earlier| earlier.name() == call.name()) {
                found.push(call);
            }
        }
        found
    }

    /// The calls in loops, including those in branches.
    pub(crate) fn loops(&self) -> Vec<&Call> {
        self.statements.iter().flat_map(Statement::loops).collect()
    }

    /// The place of a step in the wiring.
    pub(crate) fn place(&self, name: &str) -> usize {
        self.calls().iter().position(|call| call.name() == name).unwrap_or_default()
    }

    /// The place of the first step that runs concurrently with this one; its own place, unless it is joined.
    pub(crate) fn joined_from(&self, place: usize) -> usize {
        let joins = self.statements.iter().flat_map(Statement::joins);
        let joined = joins.map(|join| join.calls.iter().map(|call| self.place(&call.name())).collect::<Vec<_>>());
        let mates = joined.filter(|places| places.contains(&place)).flatten();
        mates.fold(place, usize::min)
    }
}

/// One call of a step, with the pattern that it binds.
pub(crate) struct Call {
    /// `let pattern: Type`.
    pub(crate) bound: Option<(Token![let], Pat)>,
    pub(crate) callee: Callee,
    /// The arguments between object and context.
    pub(crate) inputs: Vec<Expr>,
    /// The object argument.
    pub(crate) object: Expr,
    /// The context argument.
    pub(crate) context: Expr,
}

impl Call {
    /// The step as it is written. Two calls with the same text are one step.
    pub(crate) fn name(&self) -> String {
        step_name(&self.callee)
    }
}

/// `[let pattern =] if a { .. } else if b { .. } else { .. }`, or `[let pattern =] match value { .. }`.
pub(crate) struct Branch {
    /// `let pattern: Type`.
    pub(crate) bound: Option<(Token![let], Pat)>,
    /// `match value`.
    pub(crate) on: Option<(Token![match], Expr)>,
    /// In written order; the last one of an `if` is the `else`, unless it is missing.
    pub(crate) arms: Vec<Arm>,
}

impl Branch {
    /// The tokens before its first brace.
    pub(crate) fn head(&self) -> TokenStream {
        match &self.on {
            Some((token, value)) => quote!(#token #value),
            None => self.arms.first().map(|arm| arm.head.to_token_stream()).unwrap_or_default(),
        }
    }
}

/// One arm, with its condition.
pub(crate) struct Arm {
    pub(crate) head: Head,
    pub(crate) statements: Vec<Statement>,
}

/// The tokens before the brace of an arm.
pub(crate) enum Head {
    /// `[else] if condition`.
    If(Option<Token![else]>, Token![if], Expr),
    /// `else`.
    Else(Token![else]),
    /// `pattern if guard`, in a `match`.
    Case(Pat),
}

impl ToTokens for Head {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::If(otherwise, token, condition) => tokens.extend(quote!(#otherwise #token #condition)),
            Self::Else(token) => token.to_tokens(tokens),
            Self::Case(pattern) => pattern.to_tokens(tokens),
        }
    }
}

/// `[let pattern =] join(a(..), b(..)).await?;`
pub(crate) struct Join {
    /// `let pattern: Type`.
    pub(crate) bound: Option<(Token![let], Pat)>,
    pub(crate) calls: Vec<Call>,
}

/// A loop over one step.
pub(crate) struct Each {
    pub(crate) for_token: Token![for],
    pub(crate) pattern: Pat,
    pub(crate) in_token: Token![in],
    pub(crate) items: Expr,
    pub(crate) call: Call,
}

/// The reason of a step that the arms of a `match` skip unless they say otherwise.
pub(crate) const NOT_NEEDED: &str = "NotNeeded";

/// A step that the branch does not need.
pub(crate) struct Skip {
    pub(crate) step: Callee,
    pub(crate) reason: LitStr,
}

/// The step as it is written. Two calls with the same text are one step.
pub(crate) fn step_name(step: &Callee) -> String {
    step.to_token_stream().to_string().replace(' ', "")
}
