//! The requests of one life: a bucket is created, becomes Ready, is moved to another region, and is deleted.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Result;
use crate::requests::Counts;
use crate::site::{LOGIN, NEVER, Site, is_ready};

/// What one life costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Cost {
    pub requests: Counts,
    /// The calls of the store.
    pub calls: u64,
    /// The points at which the operator can be killed.
    pub points: u64,
}

/// The least and the most that a life costs, by each count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Life {
    pub least: Cost,
    pub most: Cost,
}

/// How many lives are counted: some have a pass more than others.
const LIVES: usize = 20;

/// Counts lives of an operator that has started, and has no other object.
pub async fn count(site: &mut Site) -> Result<Life> {
    site.start(NEVER).await?;
    let mut lives = Vec::new();
    for number in 0..LIVES {
        lives.push(one(site, &format!("counted-{number}")).await?);
    }
    Ok(Life { least: by_count(&lives, u64::min), most: by_count(&lives, u64::max) })
}

async fn one(site: &Site, name: &str) -> Result<Cost> {
    let before = (site.store.contents().calls, site.gate.passed());
    let (requests, ()) = site.counted(live(site, name)).await?;
    let calls = site.store.contents().calls - before.0;
    Ok(Cost { requests, calls, points: site.gate.passed() - before.1 })
}

/// The least or the most of each count.
fn by_count(lives: &[Cost], choose: fn(u64, u64) -> u64) -> Cost {
    let of = |count: fn(&Cost) -> u64| lives.iter().map(count).reduce(choose).unwrap_or_default();
    let requests = Counts {
        reads: of(|life| life.requests.reads),
        writes: of(|life| life.requests.writes),
        events: of(|life| life.requests.events),
        watches: of(|life| life.requests.watches),
    };
    Cost { requests, calls: of(|life| life.calls), points: of(|life| life.points) }
}

async fn live(site: &Site, name: &str) -> Result<()> {
    site.create(name, "north", LOGIN).await?;
    site.until("ready", name, is_ready).await?;
    site.rest().await?;
    grow(site, name).await?;
    site.rest().await?;
    end(site, name).await?;
    site.rest().await
}

/// Moves a bucket, and waits until it is Ready in its new region.
pub async fn grow(site: &Site, name: &str) -> Result<()> {
    site.move_to(name, "south").await?;
    site.until("ready in its new region", name, is_ready).await?;
    Ok(())
}

/// Deletes a bucket, and waits until it is gone.
pub async fn end(site: &Site, name: &str) -> Result<()> {
    match site.delete(name).await {
        // It was deleted before the operator was killed.
        Err(error) if error.to_string().contains("NotFound") => {}
        result => result?,
    }
    site.until("gone", name, Value::is_null).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_count_has_a_least_and_a_most_of_its_own() {
        let cost = |reads, calls| Cost { requests: Counts { reads, ..Counts::default() }, calls, points: 1 };
        let lives = [cost(9, 1), cost(1, 5), cost(3, 2)];
        assert_eq!(by_count(&lives, u64::min), cost(1, 1));
        assert_eq!(by_count(&lives, u64::max), cost(9, 5));
        assert_eq!(by_count(&[], u64::max), Cost::default());
    }
}
