//! Defaults that depend on other fields.

use evenkeel::prelude::*;

use crate::kinds::Site;
use crate::namespaces::sites;

#[mutate(on(create))]
pub fn fill_in(site: &mut Site) -> Result<(), Denial> {
    if site.spec.pages.is_empty() {
        site.spec.pages.push("index".to_owned());
    }
    if site.spec.account.is_empty() {
        site.spec.account = site.spec.host.split('.').skip(1).collect::<Vec<_>>().join(".");
    }
    Ok(())
}

pub fn operator() -> Operator {
    Operator::new("cookbook").reconciler::<sites>(()).admission::<fill_in>(())
}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::Row;

    use super::*;
    use crate::world::shop;

    /// Without the mutation, the site is stored as it was sent.
    #[tokio::test(start_paused = true)]
    async fn a_site_gets_what_its_author_left_out() {
        let row = Row::new("a site with a host only");
        let filled = "{outcome: Allowed, object: {spec: {account: example.com, pages: [index]}}}";
        row.admit(operator(), shop("{host: shop.example.com}")).await.expect(filled);
    }

    #[tokio::test(start_paused = true)]
    async fn a_given_value_stays() {
        let row = Row::new("a site with an account");
        let stays = "{outcome: Allowed, object: {spec: {account: red, pages: [index]}}}";
        row.admit(operator(), shop("{host: shop.example.com, account: red}")).await.expect(stays);
    }
}
