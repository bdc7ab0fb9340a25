//! A write is refused with all mistakes at once.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Namespace;

use crate::kinds::Site;
use crate::namespaces::sites;

#[validate(reads(Namespace))]
pub async fn site_is_complete(site: &Site, cx: &mut Review) -> Result<(), Denial> {
    if !site.spec.host.contains('.') {
        cx.deny(field!(spec.host), "write a full name, such as shop.example.com");
    }
    for (i, name) in site.spec.namespaces.iter().enumerate() {
        if cx.get::<Namespace>(name).await?.is_none() {
            cx.deny(field!(spec.namespaces[i]), format!("there is no namespace {name:?}"));
        }
    }
    if site.spec.pages.is_empty() {
        cx.warn("spec.pages is empty: the site shows a blank page");
    }
    Ok(())
}

pub fn operator() -> Operator {
    Operator::new("cookbook").reconciler::<sites>(()).admission::<site_is_complete>(())
}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::Row;

    use super::*;
    use crate::world::shop;

    /// Without the validation, the site is stored.
    #[tokio::test(start_paused = true)]
    async fn a_site_with_two_mistakes_is_refused_with_both() {
        let row = Row::new("a host without a domain, and an unknown namespace");
        row.admit(operator(), shop("{host: shop, namespaces: [default, nowhere], pages: [index]}")).await.expect(
            "
            outcome: Denied
            denied:
              spec.host: write a full name, such as shop.example.com
              'spec.namespaces[1]': there is no namespace \"nowhere\"
            ",
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_site_without_pages_is_stored_with_a_warning() {
        let row = Row::new("a site without pages");
        let warning = "{outcome: Allowed, warnings: ['spec.pages is empty: the site shows a blank page']}";
        row.admit(operator(), shop("{host: a.example.com}")).await.expect(warning);
    }
}
