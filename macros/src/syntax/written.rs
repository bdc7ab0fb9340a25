//! The text of an expression, as its author wrote it.

use quote::ToTokens;

/// The expression, formatted approximately as its author wrote it.
pub(crate) fn written(expr: &impl ToTokens) -> String {
    const TIGHTER: [(&str, &str); 4] = [(" :: ", "::"), (":: ", "::"), (" . ", "."), ("= & ", "= &")];
    TIGHTER.iter().fold(expr.to_token_stream().to_string(), |text, (loose, tight)| text.replace(loose, tight))
}
