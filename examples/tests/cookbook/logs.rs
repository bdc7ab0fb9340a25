//! Log lines with the fields of their pass.

use evenkeel::prelude::*;

use crate::kinds::{Site, SiteCondition, on};

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let url = format!("https://{}", site.spec.host);
    tracing::info!(%url, pages = site.spec.pages.len(), "the site is served");
    cx.status().url = Some(url);
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    serve(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::world::{World, shop};

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Outside of a step, the line would have no `object` and no `step`.
    #[tokio::test(start_paused = true)]
    async fn a_line_of_a_step_names_the_object_and_the_step() {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        // The one of the whole program: other tests run at the same time, and `tracing` caches which spans are on.
        tracing::subscriber::set_global_default(subscriber).unwrap();
        let world = World::with(shop("{host: logged.example.com, pages: [index]}")).await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        world.shows("Ready", "True Succeeded").await;
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        let line = text.lines().find(|line| line.contains("logged.example.com")).expect(&text);
        for field in ["object=default/shop", "step=\"serve\"", "the site is served", "pages=1"] {
            assert!(line.contains(field), "{field} is missing: {line}");
        }
    }
}
