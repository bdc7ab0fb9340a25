//! A password that is generated once, and rotated on request.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;
use rand::distr::{Alphanumeric, SampleString};

use crate::kinds::{Site, SiteCondition, on};

#[sub_reconciler(sets(on::Served), owns(Secret, cache = full), actions(rotate))]
pub async fn provide_password(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let name = format!("{}-admin", site.name_any());
    let secret = cx.get::<Secret>(&name).await?;
    let known = secret.and_then(|secret| secret.data?.remove("password"));
    let password = match known {
        Some(known) if !cx.requested("rotate") => known.0,
        _ => Alphanumeric.sample_string(&mut rand::rng(), 32).into_bytes(),
    };
    cx.export_secret(&name, [("password", password)]).await?;
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    provide_password(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    async fn password(world: &World) -> Vec<u8> {
        let secret = world.api::<Secret>().get("shop-admin").await.unwrap();
        secret.data.unwrap()["password"].0.clone()
    }

    /// Without the read of the Secret, each pass would set another password.
    #[tokio::test(start_paused = true)]
    async fn the_password_changes_only_on_request() {
        let world = World::with(shop("{host: a.example.com}")).await;
        let running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        world.shows("Ready", "True Succeeded").await;
        let first = password(&world).await;
        world.change::<Site>("shop", json!({ "spec": { "host": "b.example.com" } })).await;
        pass(10).await;
        running.stop().await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        pass(10).await;
        assert_eq!(password(&world).await, first);
        let rotate = json!({ "evenkeel.dev/requestedAt": "1", "evenkeel.dev/rotateAt": "1" });
        world.change::<Site>("shop", json!({ "metadata": { "annotations": rotate } })).await;
        pass(10).await;
        let second = password(&world).await;
        assert_ne!(second, first);
        world.delete::<Secret>("shop-admin").await;
        pass(10).await;
        assert_ne!(password(&world).await, second, "a deleted Secret gets a new password");
    }
}
