//! Deeply nested expressions: rejected like on a server, otherwise evaluated on a thread with a large stack.

use kube_cel::cel::common::ast::{EntryExpr, Expr, IdedExpr};

/// Maximum number of levels of an expression.
const DEEPEST: usize = 250;

/// Recursion limit of the parser. It counts one more level, and counts differently from a server.
pub(super) const PARSED: u16 = 2 * DEEPEST as u16;

/// Texts up to this length can't be deeply nested.
pub(super) const SHORT: usize = 200;

/// Expressions with this many levels run on any stack.
pub(super) const SHALLOW: usize = 20;

/// Maximum length of an expression.
const LONGEST: usize = 100_000;

/// Stack size for the deepest nesting of an expression of maximum length; only the used part is allocated.
const ROOM: usize = 1 << 30;

/// Runs the function, on a thread with a large stack if `asked` is set.
pub(super) fn roomy<T: Send>(asked: bool, run: impl FnOnce() -> T + Send) -> T {
    if !asked {
        return run();
    }
    std::thread::scope(|scope| {
        let spawned = std::thread::Builder::new().stack_size(ROOM).spawn_scoped(scope, run);
        // There is no safe fallback without a thread. A panic in the thread is propagated.
        let joined = spawned.expect("a thread for a deep expression").join();
        joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Rejects a text that is too long, or whose brackets are nested too deeply for a parser.
pub(super) fn brackets(text: &str) -> Result<(), String> {
    let length = text.chars().count();
    if length > LONGEST {
        return Err(nowhere(&format!("expression code point size exceeds limit: size: {length}, limit {LONGEST}")));
    }
    let (mut level, mut quote, mut is_escaped) = (0_usize, None, false);
    for c in text.chars() {
        match (c, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', Some(_)) => is_escaped = true,
            (_, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            ('(' | '[' | '{', None) => level += 1,
            (')' | ']' | '}', None) => level = level.saturating_sub(1),
            _ => {}
        }
        if level > DEEPEST {
            return Err(nowhere(&format!("expression recursion limit exceeded: {DEEPEST}")));
        }
    }
    Ok(())
}

/// Rejects an expression with too many levels.
pub(super) fn levels(expr: &IdedExpr) -> Result<(), String> {
    if depth(expr) > DEEPEST { Err(nowhere("max recursion depth exceeded")) } else { Ok(()) }
}

fn nowhere(why: &str) -> String {
    format!("ERROR: <input>:-1:0: {why}")
}

/// The number of levels of the expression.
pub(super) fn depth(expr: &IdedExpr) -> usize {
    let most = |parts: &mut dyn Iterator<Item = &IdedExpr>| parts.map(depth).max().unwrap_or_default();
    1 + match &expr.expr {
        Expr::Call(call) => most(&mut call.target.as_deref().into_iter().chain(&call.args)),
        Expr::Select(select) => depth(&select.operand),
        Expr::List(list) => most(&mut list.elements.iter()),
        Expr::Map(map) => {
            let entries = map.entries.iter().filter_map(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => Some(depth(&entry.key).max(depth(&entry.value))),
                EntryExpr::StructField(_) => None,
            });
            entries.max().unwrap_or_default()
        }
        Expr::Comprehension(fold) => {
            let around = depth(&fold.iter_range).max(depth(&fold.accu_init)).max(depth(&fold.result));
            around.max(depth(&fold.loop_cond)).max(depth(&fold.loop_step))
        }
        _ => 0,
    }
}
