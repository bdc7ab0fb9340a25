//! The words of the policies of a set.

use syn::Expr;

use super::keeps_value::is_word;
use crate::errors::mistake;
use crate::syntax::suggest;

/// A policy with its values: as the author writes them, and as variants.
pub(crate) struct Policy {
    pub(crate) key: &'static str,
    pub(crate) field: &'static str,
    pub(crate) ty: &'static str,
    values: &'static [(&'static str, &'static str)],
}

pub(super) const POLICIES: [Policy; 4] = [
    Policy {
        key: "adopt",
        field: "adoption",
        ty: "AdoptionPolicy",
        values: &[("if_unowned", "IfUnowned"), ("never", "Never"), ("always", "Always")],
    },
    Policy {
        key: "update",
        field: "update",
        ty: "UpdatePolicy",
        values: &[
            ("apply", "Apply"),
            ("apply_or_recreate", "ApplyOrRecreate"),
            ("override", "Override"),
            ("replace", "Replace"),
            ("recreate", "Recreate"),
        ],
    },
    Policy {
        key: "delete",
        field: "delete",
        ty: "DeletePolicy",
        values: &[
            ("delete", "Delete"),
            ("orphan", "Orphan"),
            ("orphan_on_apply", "OrphanOnApply"),
            ("orphan_on_delete", "OrphanOnDelete"),
        ],
    },
    Policy {
        key: "namespaces",
        field: "missing_namespaces",
        ty: "MissingNamespacesPolicy",
        values: &[("create", "Create"), ("own", "Own"), ("refuse", "Refuse")],
    },
];

/// The variant of a word.
pub(super) fn word(policy: &Policy, value: &Expr) -> syn::Result<&'static str> {
    let found = policy.values.iter().find(|(word, _)| is_word(value, word));
    found.map(|(_, variant)| *variant).ok_or_else(|| {
        let words: Vec<&str> = policy.values.iter().map(|(word, _)| *word).collect();
        let (key, text) = (policy.key, quote::ToTokens::to_token_stream(value).to_string());
        mistake(value, format_args!("`{text}` is no value of `{key}`"), suggest::help(&text, &words))
    })
}
