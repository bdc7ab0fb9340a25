//! An object that exists already becomes an owned object.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::ObjectMeta;

use crate::kinds::{Site, SiteCondition, on};

#[sub_reconciler(sets(on::Served), owns(ConfigMap, adopt = if_unowned))]
pub async fn configure(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let metadata = ObjectMeta { name: Some(site.name_any()), ..ObjectMeta::default() };
    let data = Some([("host".to_owned(), site.spec.host.clone())].into());
    cx.apply(&ConfigMap { metadata, data, ..ConfigMap::default() }).await?;
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    configure(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::Row;

    use super::*;
    use crate::world::shop;

    /// Without `adopt`, the outcome is Waiting with the reason `DependentForeign`, and nothing is written to the map.
    #[tokio::test(start_paused = true)]
    async fn a_map_without_an_owner_is_taken_over() {
        let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: shop}, data: {theme: dark}}";
        let row = Row::new("a map that a person created").given(map).given(shop("{host: shop.example.com}"));
        row.pass::<sites>(()).await.expect(
            "
            writes:
            - patch configmaps default/shop -> 409
            - patch configmaps default/shop: {data: {host: shop.example.com}, metadata: {ownerReferences: [{kind: Site, name: shop}]}}
            - patch sites/status default/shop
            events: [Normal Succeeded]
            conditions: {Ready: True Succeeded, Served: True Succeeded}
            ",
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_map_of_another_owner_stays_as_it_is() {
        let marks = "labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web}";
        let map = format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: shop, {marks}}}}}");
        let row = Row::new("a map of a Helm release").given(map).given(shop("{host: shop.example.com}"));
        row.pass::<sites>(()).await.expect(
            "
            outcome: Waiting
            writes:
            - patch configmaps default/shop -> 409
            - patch sites/status default/shop
            events: [Normal DependentForeign]
            conditions:
              Ready: False DependentForeign
              Reconciling: True Progressing
              Served: False DependentForeign
            ",
        );
    }
}
