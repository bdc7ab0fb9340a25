//! Checks and conversions of the names that Kubernetes accepts.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{LitStr, Path};

use crate::errors::mistake;

/// The longest reason that the API conventions allow.
const MAX_REASON: usize = 1024;
/// The longest condition type, which is a qualified name as that of a label.
const MAX_TYPE: usize = 316;
/// The longest field manager.
const MAX_MANAGER: usize = 128;

/// The condition types that the framework sets.
pub(crate) const KEPT: [&str; 3] = ["Ready", "Reconciling", "Stalled"];

/// The identifier as in JSON, without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// The path as it is written, without spaces.
pub(crate) fn path_text(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

/// Whether the text is a reason: `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$` (`metav1.Condition`).
pub(crate) fn is_reason(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || "_,:".contains(c);
    text.len() <= MAX_REASON
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(inner)
        && !text.ends_with([',', ':'])
}

/// Whether the text is a condition type in CamelCase, as the API conventions require.
pub(crate) fn is_condition_type(text: &str) -> bool {
    text.len() <= MAX_TYPE
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Whether the text is a finalizer with a domain: `example.com/artifact`.
pub(crate) fn is_finalizer(text: &str) -> bool {
    let Some((domain, name)) = text.split_once('/') else { return false };
    is_domain(domain) && is_name(name)
}

/// Whether the text is the key of an annotation: a name, with or without a domain.
pub(crate) fn is_annotation(text: &str) -> bool {
    match text.split_once('/') {
        Some((domain, name)) => is_domain(domain) && is_name(name),
        None => is_name(text),
    }
}

/// Whether the text is a DNS subdomain of at least two labels.
pub(crate) fn is_domain(text: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.contains('.') && text.split('.').all(label)
}

/// Whether the text is the name part of a qualified name.
fn is_name(text: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.len() <= 63
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && edge(text.chars().next())
        && edge(text.chars().next_back())
}

/// Whether the text is a field manager: 1 to 128 printable characters.
pub(crate) fn is_manager(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_MANAGER && text.chars().all(|c| !c.is_control())
}

/// Whether the text is a label selector for `watches(K, labels = "..")`: equality, inequality, presence, and sets.
pub(crate) fn is_selector(text: &str) -> bool {
    let key = |key: &str| match key.split_once('/') {
        Some((domain, name)) => is_domain(domain) && is_name(name),
        None => is_name(key),
    };
    let value = |value: &str| value.is_empty() || is_name(value);
    let requirement = |part: &str| match part.split_once('=') {
        Some((left, right)) => key(left.trim_end_matches('!')) && value(right.trim_start_matches('=')),
        None => key(part.trim_start_matches('!')) || part.contains(" in (") || part.contains(" notin ("),
    };
    !text.is_empty() && text.split(',').all(|part| requirement(part.trim()) || text.contains('('))
}

/// Whether the text is a field selector for `fields = ".."`: `metadata.name=web,status.phase!=Failed`.
pub(crate) fn is_field_selector(text: &str) -> bool {
    let path = |path: &str| {
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        path.split('.').all(is_name)
    };
    // The framework separates its own parts of a selection by these characters.
    let value = |value: &str| !value.contains(|c: char| c.is_whitespace() || c.is_control() || "=!,;|\\".contains(c));
    let requirement = |part: &str| match part.split_once('=') {
        Some((left, right)) => {
            path(left.strip_suffix('!').unwrap_or(left)) && value(right.strip_prefix('=').unwrap_or(right))
        }
        None => false,
    };
    text.split(',').all(requirement)
}

/// Converts to snake case: `HTTPCondition` to `http_condition`.
pub(crate) fn snake(camel: &str) -> String {
    let chars: Vec<char> = camel.chars().collect();
    let mut out = String::new();
    for (i, c) in chars.iter().enumerate() {
        let after_lower = i > 0 && !chars[i - 1].is_uppercase() && chars[i - 1] != '_';
        let ends_acronym = i > 0 && chars[i - 1].is_uppercase() && chars.get(i + 1).is_some_and(|n| n.is_lowercase());
        if c.is_uppercase() && (after_lower || ends_acronym) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// Converts to camel case: `pods-ready` or `pods_ready` to `PodsReady`.
pub(crate) fn camel(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    words.map(|w| w[..1].to_uppercase() + &w[1..]).collect()
}

/// The name of a function in an earlier version: `steps("install")`.
pub(crate) fn function_name(text: LitStr, list: &str) -> syn::Result<LitStr> {
    if syn::parse_str::<Ident>(&text.value()).is_ok() {
        return Ok(text);
    }
    let headline = format_args!("`{}` is no name of a function", text.value());
    Err(mistake(&text, headline, format_args!("write the earlier name: `{list}(\"install\")`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acronyms_stay_one_word() {
        assert_eq!(snake("HTTPCondition"), "http_condition");
        assert_eq!(snake("RepoCondition"), "repo_condition");
        assert_eq!(snake("ReadyV2"), "ready_v2");
        assert_eq!(snake("A"), "a");
    }

    #[test]
    fn a_condition_type_is_camel_case() {
        assert!(is_condition_type("PodsReady") && is_condition_type("V2"));
        assert!(!is_condition_type("pods-ready") && !is_condition_type("Pods_Ready") && !is_condition_type(""));
        assert_eq!(camel("pods-ready"), "PodsReady");
        assert_eq!(camel("pods_Ready"), "PodsReady");
    }

    #[test]
    fn reasons_follow_the_grammar_of_the_api() {
        assert!(is_reason("InvalidUrl") && is_reason("a") && is_reason("A:b,c_"));
        assert!(!is_reason("") && !is_reason("1A") && !is_reason("A:") && !is_reason("A b"));
    }

    #[test]
    fn a_finalizer_has_a_domain() {
        assert!(is_finalizer("source.evenkeel.dev/artifact"));
        for text in ["cleanup", "example/x", "Example.com/x", "example.com/", "example.com/-x", "a..b/x"] {
            assert!(!is_finalizer(text), "{text}");
        }
    }

    #[test]
    fn the_key_of_an_annotation_is_a_qualified_name() {
        assert!(is_annotation("reconcile.fluxcd.io/requestedAt") && is_annotation("requestedAt"));
        for text in ["", "a b", "example.com/", "/x", "a.b/c/d", "Example.com/x"] {
            assert!(!is_annotation(text), "{text}");
        }
    }

    #[test]
    fn a_manager_is_short_and_printable() {
        assert!(is_manager("source-controller"));
        assert!(!is_manager("") && !is_manager("a\nb") && !is_manager(&"x".repeat(129)));
    }

    #[test]
    fn field_selectors_compare_fields_with_values() {
        for text in ["metadata.name=web", "status.phase!=Failed,spec.nodeName==n1", "spec.nodeName="] {
            assert!(is_field_selector(text), "{text}");
        }
        for text in ["", "=web", "status.phase", "a..b=c", "a=b,", "a=b c", "a=b|c", "a in (b)", "a=b;c=d", "a=!b"] {
            assert!(!is_field_selector(text), "{text}");
        }
    }

    #[test]
    fn selectors_are_read_as_kubectl_does() {
        for text in ["app=web", "app=web,tier!=db", "example.com/part-of", "!hidden", "a in (b, c)", "a=="] {
            assert!(is_selector(text), "{text}");
        }
        for text in ["", "=web", "a b", "-a=b"] {
            assert!(!is_selector(text), "{text}");
        }
    }
}
