//! Settings from a file, which are read again when it changes.

use evenkeel::Live;
use evenkeel::prelude::*;

use crate::kinds::{Site, SiteCondition, on};

/// The section `settings` of the file that `--config` names.
#[derive(Default, Deserialize)]
pub struct Settings {
    domain: String,
}

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, settings: &Live<Settings>, cx: &mut Cx) -> Result<(), ApiError> {
    cx.status().url = Some(format!("https://{}.{}", site.spec.host, settings.now().domain));
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, settings: &Live<Settings>, cx: &mut Pass<'_>) -> PassResult {
    serve(site, settings, cx).await?;
    Ok(())
}

pub fn operator() -> Operator {
    let settings = Live::<Settings>::default();
    Operator::new("cookbook").settings(&settings).reconciler::<sites>(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, pass, shop};

    /// With `&Settings` in place of `&Live<Settings>`, the URL keeps the first domain until a restart.
    #[tokio::test(start_paused = true)]
    async fn a_changed_file_changes_the_sites() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cookbook.yaml");
        std::fs::write(&file, "settings: {domain: example.com}").unwrap();
        let world = World::with(shop("{host: shop}")).await;
        // The flags as `run_cli` reads them.
        let operator = operator().configured_by(["cookbook", "--config", file.to_str().unwrap()]).await.unwrap();
        let _running = world.run(operator);
        world.shows("Ready", "True Succeeded").await;
        let url = async || world.api::<Site>().get("shop").await.unwrap().status.unwrap().url.unwrap();
        assert_eq!(url().await, "https://shop.example.com");
        std::fs::write(&file, "settings: {domain: example.org}").unwrap();
        pass(120).await;
        assert_eq!(url().await, "https://shop.example.org");
    }
}
