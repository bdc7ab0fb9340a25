//! Kills with SIGKILL at random points of a life, and what they leave behind.

use kube::api::ListParams;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

use crate::Result;
use crate::life;
use crate::site::{LOGIN, NEVER, Site, is_ready};

const SEED: u64 = 2026;

/// What is left after all kills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Leftovers {
    pub kills: u64,
    /// Buckets of the store without an object.
    pub orphans: u64,
    /// Objects with more than one bucket at some time.
    pub doubled: u64,
    /// Objects that did not become Ready.
    pub unready: u64,
    /// Objects that were not removed after their deletion.
    pub stuck: u64,
}

impl Leftovers {
    #[must_use]
    pub fn all(&self) -> u64 {
        self.orphans + self.doubled + self.unready + self.stuck
    }
}

/// Kills the operator at this many points. A life without a kill has `points` of them.
pub async fn count(site: &mut Site, kills: u64, points: u64) -> Result<Leftovers> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut left = Leftovers::default();
    let mut number = 0;
    while left.kills < kills && number < kills * 2 {
        site.start(NEVER).await?;
        site.gate.kill_at(random.u64(1..=points), site.operator()?.victim());
        live(site, &format!("killed-{number}"), &mut left).await?;
        left.kills += u64::from(site.gate.disarm());
        number += 1;
    }
    let objects = site.buckets().list(&ListParams::default()).await?.items;
    let owners: BTreeSet<_> = objects.into_iter().filter_map(|object| object.metadata.uid).collect();
    let orphans = site.store.contents().buckets.values().filter(|bucket| !owners.contains(&bucket.owner)).count();
    left.orphans = orphans as u64;
    Ok(left)
}

/// One life, in which the operator is started again when it was killed.
async fn live(site: &mut Site, name: &str, left: &mut Leftovers) -> Result<()> {
    let uid = site.create(name, "north", LOGIN).await?;
    let mut is_again = false;
    let ready = ends(site, &mut is_again, async |site| site.until("ready", name, is_ready).await.map(drop)).await?;
    let moved = ends(site, &mut is_again, async |site| life::grow(site, name).await).await?;
    let is_moved = site.store.contents().of(&uid).all(|bucket| bucket.settings.region == "south");
    left.unready += u64::from(!(ready && moved && is_moved));
    left.doubled += u64::from(site.store.contents().of(&uid).count() > 1);
    let gone = ends(site, &mut is_again, async |site| life::end(site, name).await).await?;
    left.stuck += u64::from(!gone);
    Ok(())
}

/// Does a part of a life, anew with another process if the operator was killed, and returns whether the part came to its end.
async fn ends(site: &mut Site, is_again: &mut bool, part: impl AsyncFn(&Site) -> Result<()>) -> Result<bool> {
    if !*is_again {
        let gate = site.gate.clone();
        let killed = async {
            while !gate.killed() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            biased;
            () = killed => {}
            done = part(site) => return Ok(done.is_ok()),
        }
        *is_again = true;
        site.launch(NEVER)?;
    }
    Ok(part(site).await.is_ok())
}
