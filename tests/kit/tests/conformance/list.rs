//! Lists: resource versions, pages and selectors.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, PostParams, VersionMatch};
use serde_json::{Value, json};

use crate::check::{Broken, Verdict, eventually, holds, refused, same};
use crate::env::{Env, map};
use crate::rule::rules;

rules![
    a_list_has_a_version_even_when_empty,
    a_list_in_a_missing_namespace_is_empty,
    objects_are_listed_by_name,
    pages_show_one_snapshot,
    a_page_has_a_remaining_count_without_selector,
    a_continue_token_excludes_a_version,
    labels_select_objects,
    a_wrong_label_selector_is_refused,
    fields_select_by_name,
    an_unknown_field_selector_is_refused,
    a_selectable_field_selects_custom_resources,
    a_list_at_an_exact_version_shows_that_state,
    a_future_version_times_out,
    a_version_match_needs_a_version,
    a_limit_at_version_zero_is_ignored,
    a_metadata_list_has_only_metadata;
    embedded an_expired_continue_token_is_gone, a_compacted_exact_version_is_gone,
];

async fn fill(env: &Env, names: &[&str]) -> Verdict {
    for (index, name) in names.iter().enumerate() {
        let labels = json!({"all": "yes", "parity": if index % 2 == 0 { "even" } else { "odd" }, *name: "own"});
        env.maps().create(&PostParams::default(), &map(json!({"metadata": {"name": name, "labels": labels}}))).await?;
    }
    Ok(())
}

fn names(list: impl IntoIterator<Item = ConfigMap>) -> Vec<String> {
    list.into_iter().filter_map(|map| map.metadata.name).collect()
}

async fn a_list_has_a_version_even_when_empty(env: &Env) -> Verdict {
    let list = env.maps().list(&ListParams::default()).await?;
    same("items", list.items.len(), 0)?;
    holds("it has a version", list.metadata.resource_version.is_some_and(|version| !version.is_empty()))
}

async fn a_list_in_a_missing_namespace_is_empty(env: &Env) -> Verdict {
    let list = env.get("/api/v1/namespaces/no-such-namespace/configmaps").await?.is(200)?;
    same("items", &list.body["items"], &json!([]))
}

async fn objects_are_listed_by_name(env: &Env) -> Verdict {
    fill(env, &["c", "a", "b"]).await?;
    same("names", names(env.maps().list(&ListParams::default()).await?), vec!["a", "b", "c"])
}

async fn pages_show_one_snapshot(env: &Env) -> Verdict {
    fill(env, &["a", "b", "c", "d", "e"]).await?;
    let first = env.maps().list(&ListParams::default().limit(2)).await?;
    env.maps().create(&PostParams::default(), &env.map("b2")).await?;
    env.maps().delete("c", &kube::api::DeleteParams::default()).await?;
    let version = first.metadata.resource_version.clone();
    let mut token = first.metadata.continue_.clone().unwrap_or_default();
    let mut seen = names(first);
    while !token.is_empty() {
        let page = env.maps().list(&ListParams::default().limit(2).continue_token(&token)).await?;
        same("version of a page", &page.metadata.resource_version, &version)?;
        token = page.metadata.continue_.clone().unwrap_or_default();
        seen.extend(names(page));
    }
    same("names", seen, vec!["a", "b", "c", "d", "e"])
}

async fn a_page_has_a_remaining_count_without_selector(env: &Env) -> Verdict {
    fill(env, &["a", "b", "c"]).await?;
    let plain = env.maps().list(&ListParams::default().limit(1)).await?;
    same("remaining", plain.metadata.remaining_item_count, Some(2))?;
    let selected = env.maps().list(&ListParams::default().limit(1).labels("all=yes")).await?;
    same("remaining with a selector", selected.metadata.remaining_item_count, None)?;
    holds("more can be asked for", selected.metadata.continue_.is_some_and(|token| !token.is_empty()))
}

async fn a_continue_token_excludes_a_version(env: &Env) -> Verdict {
    fill(env, &["a", "b"]).await?;
    let first = env.maps().list(&ListParams::default().limit(1)).await?;
    let token = first.metadata.continue_.unwrap_or_default();
    let version = first.metadata.resource_version.unwrap_or_default();
    let path = env.core(&format!("configmaps?limit=1&continue={token}&resourceVersion={version}"));
    env.get(&path).await?.refuses(400, "BadRequest").map(|_| ())
}

async fn labels_select_objects(env: &Env) -> Verdict {
    fill(env, &["a", "b", "c"]).await?;
    let cases: [(&str, &[&str]); 9] = [
        ("parity=even", &["a", "c"]),
        ("parity==odd", &["b"]),
        ("parity!=even", &["b"]),
        ("parity in (odd, none)", &["b"]),
        ("parity notin (odd)", &["a", "c"]),
        ("b", &["b"]),
        ("!b", &["a", "c"]),
        ("all=yes,parity=even,a", &["a"]),
        ("all=no", &[]),
    ];
    for (selector, expected) in cases {
        let list = env.maps().list(&ListParams::default().labels(selector)).await?;
        same(selector, names(list), expected.to_vec())?;
    }
    Ok(())
}

async fn a_wrong_label_selector_is_refused(env: &Env) -> Verdict {
    refused(env.maps().list(&ListParams::default().labels("a in (b")).await, 400, "BadRequest").map(|_| ())
}

async fn fields_select_by_name(env: &Env) -> Verdict {
    fill(env, &["a", "b"]).await?;
    let one = env.maps().list(&ListParams::default().fields("metadata.name=b")).await?;
    same("equal", names(one), vec!["b"])?;
    let other = env.maps().list(&ListParams::default().fields("metadata.name!=b")).await?;
    same("unequal", names(other), vec!["a"])
}

async fn an_unknown_field_selector_is_refused(env: &Env) -> Verdict {
    refused(env.maps().list(&ListParams::default().fields("data.k=1")).await, 400, "BadRequest").map(|_| ())
}

async fn a_selectable_field_selects_custom_resources(env: &Env) -> Verdict {
    env.widget("a", json!({"color": "red"})).await?;
    env.widget("b", json!({"color": "blue"})).await?;
    let red = env.widgets().list(&ListParams::default().fields("spec.color=red")).await?;
    let found: Vec<_> = red.items.into_iter().filter_map(|widget| widget.metadata.name).collect();
    same("names", found, vec!["a"])
}

async fn a_list_at_an_exact_version_shows_that_state(env: &Env) -> Verdict {
    fill(env, &["a"]).await?;
    let then = env.maps().list(&ListParams::default()).await?;
    fill(env, &["b"]).await?;
    let version = then.metadata.resource_version.unwrap_or_default();
    let exact = ListParams::default().at(&version).matching(VersionMatch::Exact);
    same("names", names(env.maps().list(&exact).await?), vec!["a"])?;
    let newer = ListParams::default().at(&version).matching(VersionMatch::NotOlderThan);
    let newer = env.maps().list(&newer).await?;
    holds("a newer one has a version", newer.metadata.resource_version >= Some(version))
}

async fn a_future_version_times_out(env: &Env) -> Verdict {
    let answer = env.get(&env.core("configmaps?resourceVersion=999999999")).await?.refuses(504, "Timeout")?;
    same("cause", &answer.body["details"]["causes"][0]["reason"], "ResourceVersionTooLarge")
}

async fn a_version_match_needs_a_version(env: &Env) -> Verdict {
    let answer = env.get(&env.core("configmaps?resourceVersionMatch=Exact")).await?.refuses(422, "Invalid")?;
    same("fields", answer.fields(), vec!["resourceVersionMatch"])
}

async fn a_limit_at_version_zero_is_ignored(env: &Env) -> Verdict {
    fill(env, &["a", "b", "c"]).await?;
    // A watch cache may be older than the last write.
    let whole = || async {
        let list = env.get(&env.core("configmaps?limit=1&resourceVersion=0")).await?.is(200)?;
        Ok((list.body["items"].as_array().map(Vec::len) == Some(3)).then_some(list))
    };
    let list = eventually("all three are listed", whole).await?;
    same("continue", &list.body["metadata"]["continue"], &Value::Null)
}

async fn a_metadata_list_has_only_metadata(env: &Env) -> Verdict {
    env.widget("a", json!({"size": 1})).await?;
    let list = env.widgets().list_metadata(&ListParams::default()).await?;
    let first = list.items.first().ok_or("nothing listed")?;
    same("name", first.metadata.name.as_deref(), Some("a"))?;
    let types = first.types.clone().ok_or("no types")?;
    same("kind", types.kind.as_str(), "PartialObjectMetadata")?;
    let one: Result<_, Broken> = Ok(env.widgets().get_metadata("a").await?);
    same("version", one?.metadata.resource_version, first.metadata.resource_version.clone())
}

async fn an_expired_continue_token_is_gone(env: &Env) -> Verdict {
    fill(env, &["a", "b"]).await?;
    let first = env.maps().list(&ListParams::default().limit(1)).await?;
    let token = first.metadata.continue_.unwrap_or_default();
    fill(env, &["c"]).await?;
    env.cluster.as_ref().ok_or("not embedded")?.compact();
    let late = ListParams::default().limit(1).continue_token(&token);
    let status = refused(env.maps().list(&late).await, 410, "Expired")?;
    holds("it says why", !Value::from(status.message).is_null())
}

async fn a_compacted_exact_version_is_gone(env: &Env) -> Verdict {
    fill(env, &["a"]).await?;
    let version = env.maps().list(&ListParams::default()).await?.metadata.resource_version.unwrap_or_default();
    fill(env, &["b"]).await?;
    env.cluster.as_ref().ok_or("not embedded")?.compact();
    let exact = ListParams::default().at(&version).matching(VersionMatch::Exact);
    refused(env.maps().list(&exact).await, 410, "Expired").map(|_| ())
}
