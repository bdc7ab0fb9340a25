//! Visits the parts of an expression.

use kube_cel::cel::common::ast::{EntryExpr, Expr, IdedExpr};

/// Visits every part of the expression, inner parts first.
pub(super) fn visit(expr: &mut IdedExpr, change: &mut impl FnMut(&mut IdedExpr)) {
    match &mut expr.expr {
        Expr::Call(call) => {
            call.target.as_deref_mut().into_iter().chain(&mut call.args).for_each(|part| visit(part, change));
        }
        Expr::Select(select) => visit(&mut select.operand, change),
        Expr::List(list) => list.elements.iter_mut().for_each(|part| visit(part, change)),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    visit(&mut entry.key, change);
                    visit(&mut entry.value, change);
                }
            }
        }
        Expr::Comprehension(fold) => {
            for part in [&mut fold.iter_range, &mut fold.accu_init, &mut fold.loop_cond, &mut fold.loop_step] {
                visit(part, change);
            }
            visit(&mut fold.result, change);
        }
        _ => {}
    }
    change(expr);
}
