//! Kinds by text: `apps/v1/Deployment`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::syntax::krate::Krate;

/// Splits `apps/v1/Deployment` into `apps/v1` and `Deployment`.
pub(crate) fn split(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once('/').filter(|(api_version, kind)| is_api_version(api_version) && is_kind(kind))
}

/// Whether the text is `v1` or `group/v1`.
pub(crate) fn is_api_version(text: &str) -> bool {
    let (group, version) = text.split_once('/').map_or((None, text), |(group, version)| (Some(group), version));
    let is_version = version.starts_with('v') && version[1..].starts_with(|letter: char| letter.is_ascii_digit());
    is_version && version.chars().all(is_lower) && group.is_none_or(is_group)
}

fn is_lower(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit()
}

fn is_group(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| is_lower(letter) || "-.".contains(letter))
}

/// Whether the text is a pattern of kinds: `cert-manager.io/Certificate`, `*.crossplane.io/*`, `/Secret` or `*/*`.
pub(crate) fn is_pattern(text: &str) -> bool {
    let Some((group, kind)) = text.split_once('/') else { return false };
    let is_any_group = group.is_empty() || group == "*";
    (is_any_group || is_group(group.strip_prefix("*.").unwrap_or(group))) && (kind == "*" || is_kind(kind))
}

/// Whether the text is a kind in camel case.
pub(crate) fn is_kind(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_uppercase())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric())
}

/// Expands a kind by text.
pub(crate) fn expand_kind(
    krate: &Krate,
    api_version: &str,
    kind: &str,
    plural: Option<&str>,
    cluster_scoped: bool,
) -> TokenStream {
    let plural = match plural {
        None => quote!(#krate::std::option::Option::None),
        Some(plural) => quote!(#krate::std::option::Option::Some(#plural)),
    };
    let mut info = quote!(#krate::KindInfo::by_text(#api_version, #kind, #plural));
    if cluster_scoped {
        info = quote!(#krate::KindInfo::cluster_scoped(#info));
    }
    quote!(#krate::TextKind { api_version: #api_version, kind: #kind, info: || #info })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_a_version() {
        assert_eq!(split("v1/ConfigMap"), Some(("v1", "ConfigMap")));
        assert_eq!(split("cert-manager.io/v1alpha2/Certificate"), Some(("cert-manager.io/v1alpha2", "Certificate")));
        for text in ["ConfigMap", "apps/Deployment", "apps/v1/deployment", "apps/v1/", "a/b/v1/Pod", "/v1/Pod", "v/Pod"]
        {
            assert_eq!(split(text), None, "{text}");
        }
    }

    #[test]
    fn a_pattern_has_a_group_and_a_kind() {
        for pattern in ["cert-manager.io/Certificate", "*.crossplane.io/*", "*/*", "/Secret", "*/Bucket"] {
            assert!(is_pattern(pattern), "{pattern}");
        }
        for wrong in ["Certificate", "*r.foo/*", "*.*/*", "a/b", "a/*x", "", "a/v1/Kind", "*./*"] {
            assert!(!is_pattern(wrong), "{wrong}");
        }
    }
}
