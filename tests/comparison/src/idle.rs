//! The requests of a day without changes, counted during a part of it.

use std::time::Duration;

use crate::Result;
use crate::requests::Counts;
use crate::site::{LOGIN, Site, is_ready};

/// How many buckets there are.
pub const BUCKETS: usize = 10;
/// The interval between two checks of a bucket.
const INTERVAL: Duration = Duration::from_secs(600);

/// Counts the requests of the operator during this time, and extrapolates them to a day.
pub async fn count(site: &mut Site, time: Duration) -> Result<Counts> {
    site.start(INTERVAL).await?;
    for number in 0..BUCKETS {
        site.create(&format!("idle-{number}"), "north", LOGIN).await?;
    }
    for number in 0..BUCKETS {
        site.until("ready", &format!("idle-{number}"), is_ready).await?;
    }
    site.rest().await?;
    let wait = async {
        tokio::time::sleep(time).await;
        Ok(())
    };
    let (counts, ()) = site.counted(wait).await?;
    if !site.operator()?.is_running() {
        return Err("the operator has ended".into());
    }
    Ok(counts.times(86_400.0 / time.as_secs_f64()))
}
