//! Unexpected answers of the API server, or of a proxy in front of it.

use std::time::Duration;

use evenkeel_tests::trial::faults::of_a_connection;
use evenkeel_tests::trial::long;
use tokio::time::sleep;

use crate::yard::Yard;

/// The scopes of the faults: all paths, the objects, their status, owned objects, read objects.
const PLACES: [&str; 5] = ["", "/parcels", "/status", "/configmaps", "/secrets"];

/// Injects each fault while objects change; in the long form in each scope.
pub async fn every_fault_of_a_connection(yard: &Yard) {
    let (lasts, changes) = if long() { (Duration::from_secs(10), 40) } else { (Duration::from_secs(2), 10) };
    for (nth, fault) in of_a_connection().enumerate() {
        let places = if long() { &PLACES[..] } else { &PLACES[nth % PLACES.len()..][..1] };
        for place in places {
            yard.proxy.fail(fault, place);
            tokio::join!(sleep(lasts), yard.change(changes));
            let struck = yard.proxy.mend();
            yard.settle(&format!("{fault:?} at `{place}`, {struck} requests so far")).await;
        }
    }
}
