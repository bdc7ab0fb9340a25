//! Dependents in the metrics and on the page of objects.

use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::listener::{get, listening, objects, samples};
use evenkeel_tests::test_env::{Running, SOON, World};
use kube::CustomResourceExt;
use serde_json::json;

use super::shop::{Part, Shop, open, set_ready, shop};

#[tokio::test]
async fn dependents_are_counted_and_listed_with_wave_status_and_cause() {
    let world = World::within(Cluster::start().await);
    for definition in [Shop::crd(), Part::crd()] {
        world.install(&definition).await;
    }
    let (operator, address) = listening(world.prepare::<shop>(()));
    let operator = Running::start(operator);
    open(
        &world,
        "a",
        &json!({ "maps": { "one": "1" }, "secret": "hidden-value", "parts": { "early": -1, "late": 1 } }),
    )
    .await;
    eventually(SOON, || async { world.api::<Part>().get_opt("early").await.unwrap().map(drop) }).await;
    set_ready(&world, "early", "True").await;
    let shown = || async {
        let found = objects(address, "name=a").await;
        let dependents = found.first()?["dependents"].as_array()?.clone();
        (dependents.len() == 4 && dependents[0]["status"] == "Current").then_some(dependents)
    };
    let shown = eventually(SOON, shown).await;
    let line = |i: usize| {
        let one = &shown[i];
        let text = |field: &str| one[field].as_str().unwrap().to_owned();
        (text("object"), one["wave"].as_i64().unwrap(), text("status"))
    };
    let current = "Current".to_owned();
    assert_eq!(line(0), ("Part.tests.evenkeel.dev default/early".into(), -1, current.clone()));
    assert_eq!(line(1), ("ConfigMap default/one".into(), 0, current.clone()));
    assert_eq!(line(2), ("Secret default/login".into(), 0, current));
    assert_eq!(line(3), ("Part.tests.evenkeel.dev default/late".into(), 1, "InProgress".into()));
    assert_eq!(shown[3]["message"], "it has no condition Ready yet");
    let page = get(address, "/debug/objects?search=default/late").await.body;
    assert!(page.contains("<summary>4 dependents</summary>"), "{page}");
    assert!(page.contains("wave 1: Part.tests.evenkeel.dev default/late is InProgress: it has no condition Ready yet"));
    assert!(!page.contains("hidden-value"));
    let samples = samples(address).await;
    let count = |kind: &str, status: &str| {
        let labels = format!(r#"controller="shop",kind="{kind}",status="{status}""#);
        samples.get(&format!("evenkeel_dependents{{{labels}}}")).copied()
    };
    assert_eq!((count("Part", "Current"), count("Part", "InProgress")), (Some(1.0), Some(1.0)));
    assert_eq!((count("Secret", "Current"), count("Secret", "Failed")), (Some(1.0), Some(0.0)));
    operator.stop().await.unwrap();
}
