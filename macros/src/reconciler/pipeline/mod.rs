//! The body of a reconciler: calls of steps, and branches of them.

mod branch;
mod call;
mod callee;
mod each;
mod errors;
mod exhaustiveness;
mod join;
mod skip;
mod used_paths;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::parse::Parser;
use syn::{Block, Expr, Stmt, Token, parse_quote};

pub(crate) use self::branch::{Arm, Branch};
pub(crate) use self::call::Call;
pub(crate) use self::callee::{Callee, is_self};
pub(crate) use self::each::Each;
use self::errors::Place;
pub(crate) use self::exhaustiveness::name as step_name;
pub(crate) use self::join::Join;
pub(crate) use self::skip::Skip;
pub(crate) use self::used_paths::mentioned;
use super::check;
use crate::errors::Errors;
use crate::syntax::function::Function;
use crate::syntax::signature::hidden;

/// The body of a reconciler.
pub(crate) struct Pipeline {
    pub(crate) statements: Vec<Statement>,
}

/// One statement of a pipeline.
pub(crate) enum Statement {
    /// `[let pattern =] step(..).await?;`
    Call(Box<Call>),
    /// `[let pattern =] if condition { .. } else { .. }`
    Branch(Branch),
    /// `[let pattern =] join(a(..), b(..)).await?;`
    Join(Join),
    /// `for item in items { step(..).await?; }`
    Each(Box<Each>),
    /// `skip(step, "Reason");`
    Skip(Skip),
    /// What an arm of a branch hands on.
    Value(TokenStream),
}

impl Statement {
    /// The calls of steps, as they are written.
    fn calls(&self) -> Vec<&Call> {
        match self {
            Self::Call(call) => vec![call],
            Self::Each(each) => vec![&each.call],
            Self::Join(join) => join.calls.iter().collect(),
            Self::Branch(branch) => branch.arms.iter().flat_map(|arm| &arm.statements).flat_map(Self::calls).collect(),
            Self::Skip(_) | Self::Value(_) => Vec::new(),
        }
    }

    /// The joins, those in branches included.
    fn joins(&self) -> Vec<&Join> {
        match self {
            Self::Join(join) => vec![join],
            Self::Branch(branch) => branch.arms.iter().flat_map(|arm| &arm.statements).flat_map(Self::joins).collect(),
            _ => Vec::new(),
        }
    }

    /// A step at the end of an arm: its value is that of the arm.
    fn handing_on(mut self) -> Vec<Self> {
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
    /// The steps in the order in which they are first called: that of the wiring.
    pub(crate) fn calls(&self) -> Vec<&Call> {
        let mut found: Vec<&Call> = Vec::new();
        for call in self.statements.iter().flat_map(Statement::calls) {
            if !found.iter().any(|earlier| earlier.name() == call.name()) {
                found.push(call);
            }
        }
        found
    }

    /// The place of a step in the wiring.
    pub(crate) fn place(&self, name: &str) -> usize {
        self.calls().iter().position(|call| call.name() == name).unwrap_or_default()
    }
}

impl Pipeline {
    /// The first step that runs together with this one: itself, unless it is joined.
    pub(crate) fn joined_from(&self, place: usize) -> usize {
        let joins = self.statements.iter().flat_map(Statement::joins);
        let joined = joins.map(|join| join.calls.iter().map(|call| self.place(&call.name())).collect::<Vec<_>>());
        let mates = joined.filter(|places| places.contains(&place)).flatten();
        mates.fold(place, usize::min)
    }
}

/// Reads the body. `None`: it is not parsed by syn, and rustc has its own words for that.
pub(crate) fn read(function: &Function, object: &Ident, context: &Ident, errors: &mut Errors) -> Option<Pipeline> {
    let statements = errors.take(Block::parse_within.parse2(function.body.stream()))?;
    let Some((last, steps)) = statements.split_last() else {
        check::refuse_end(function, None, errors);
        return None;
    };
    let steps = match last {
        last if is_end(last) || is_tail(last) => steps,
        _ => &statements,
    };
    let before = errors.count();
    let mut reader = Reader { object, context, errors };
    let statements: Vec<_> = steps.iter().filter_map(|statement| reader.statement(statement, false)).collect();
    let sound = errors.count() == before;
    if sound {
        exhaustiveness::check(&statements, errors);
    }
    if !is_end(last) && (sound || is_tail(last)) {
        check::refuse_end(function, Some(last), errors);
    } else if statements.is_empty() && sound {
        check::refuse_end(function, None, errors);
    }
    Some(Pipeline { statements })
}

/// Reads statements: what is handed to every step, and where mistakes go.
struct Reader<'a> {
    object: &'a Ident,
    context: &'a Ident,
    errors: &'a mut Errors,
}

impl Reader<'_> {
    /// `valued`: the statement is the end of an arm of which the value is bound.
    fn statement(&mut self, statement: &Stmt, valued: bool) -> Option<Statement> {
        if errors::attribute(statement, self.errors) {
            return None;
        }
        if let Some((bound, branch)) = branch::parse(statement) {
            return Some(Statement::Branch(branch::read(self, bound, branch, valued)));
        }
        if let Some(call) = skip::parse(statement, self.context) {
            return skip::read(self, statement, call).map(Statement::Skip);
        }
        if let Some(each) = each::parse(statement) {
            return each::read(self, each).map(Box::new).map(Statement::Each);
        }
        if let Some(join) = join::parse(statement, self.context) {
            return join.read(self).map(Statement::Join);
        }
        match call::parse(statement) {
            Some(call) => self.call(call).map(Box::new).map(Statement::Call),
            None => {
                check::refuse_statement(statement, self.errors);
                None
            }
        }
    }
}

impl Reader<'_> {
    fn call(&mut self, call: call::Written<'_>) -> Option<Call> {
        let call = call.read(self.object, self.context, self.errors)?;
        call.inputs.iter().for_each(|input| errors::expr(input, Place::Input, self));
        Some(call)
    }
}

/// `Ok(())` without a semicolon.
fn is_end(statement: &Stmt) -> bool {
    let Stmt::Expr(Expr::Call(call), None) = statement else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    let unit = matches!(call.args.first(), Some(Expr::Tuple(tuple)) if tuple.elems.is_empty());
    unit && call.args.len() == 1 && path.path.segments.last().is_some_and(|segment| segment.ident == "Ok")
}

/// `step(..).await` at the end.
fn is_tail(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(Expr::Await(_), None))
}
