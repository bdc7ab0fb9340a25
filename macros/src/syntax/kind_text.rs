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
    let is_lower = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let is_version = version.starts_with('v') && version[1..].starts_with(|letter: char| letter.is_ascii_digit());
    let is_group =
        |group: &str| !group.is_empty() && group.chars().all(|letter| is_lower(letter) || "-.".contains(letter));
    is_version && version.chars().all(is_lower) && group.is_none_or(is_group)
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
}
