//! Shard selectors (KEP-5866, alpha), on servers with and without the feature gate `ShardedListAndWatch`.

use kube::api::{DeleteParams, PostParams};
use serde_json::{Value, json};

use crate::check::{Broken, Verdict, eventually, holds, same};
use crate::env::{Answer, Env, map, text};
use crate::rule::rules;
use crate::watch::{brief, next, watch};

rules![
    ;
    sharded a_shard_selector_selects_a_range_of_uids,
    a_shard_selector_may_join_ranges,
    a_shard_selector_may_hash_the_namespace,
    pages_of_a_shard_count_the_objects_of_all,
    a_shard_of_a_custom_resource_is_listed,
    only_full_lists_of_built_in_kinds_report_their_shards,
    a_watch_of_a_shard_reports_its_changes_and_deletions,
    a_streaming_list_of_a_shard_is_filtered,
    an_unreadable_shard_selector_is_an_internal_error,
    a_collection_is_deleted_in_a_shard;
    unsharded a_server_without_shards_ignores_their_selector,
];

const FIRST: &str = "shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')";
const SECOND: &str = "shardRange(object.metadata.uid,'0x8000000000000000','0x10000000000000000')";

/// Creates maps until both halves have two.
async fn fill(env: &Env) -> Result<[Vec<String>; 2], Broken> {
    let mut halves = [Vec::new(), Vec::new()];
    for name in "abcdefghijklmnopqrstuvwxyz".chars().map(String::from) {
        let made = env.maps().create(&PostParams::default(), &env.map(&name)).await?;
        halves[half(made.metadata.uid.as_deref().unwrap_or_default())].push(name);
        if halves.iter().all(|half| half.len() >= 2) {
            return Ok(halves);
        }
    }
    Err("all uids are in one half".into())
}

/// The index of the half that contains the hash (FNV-1a) of the uid.
fn half(uid: &str) -> usize {
    let hash = uid
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    usize::from(hash >> 63 == 1)
}

fn names(list: &Answer) -> Vec<String> {
    let items = list.body["items"].as_array().into_iter().flatten();
    items.map(|item| text(&item["metadata"]["name"]).to_owned()).collect()
}

/// The path of the maps with a shard selector and the rest of a query.
fn maps(env: &Env, selector: &str, rest: &str) -> String {
    let selector = selector.replace('|', "%7C").replace(' ', "%20").replace('\'', "%27");
    format!("{}?shardSelector={selector}{rest}", env.core("configmaps"))
}

async fn listed(env: &Env, selector: &str) -> Result<Vec<String>, Broken> {
    Ok(names(&env.get(&maps(env, selector, "")).await?.is(200)?))
}

async fn a_shard_selector_selects_a_range_of_uids(env: &Env) -> Verdict {
    let [first, second] = fill(env).await?;
    same("first half", listed(env, FIRST).await?, first.clone())?;
    same("second half", listed(env, SECOND).await?, second)?;
    // A watch cache may be older than the last write.
    let cached = || async {
        let list = env.get(&maps(env, FIRST, "&resourceVersion=0")).await?.is(200)?;
        Ok((names(&list) == first).then_some(()))
    };
    eventually("the cache lists the first half", cached).await
}

async fn a_shard_selector_may_join_ranges(env: &Env) -> Verdict {
    let mut all = fill(env).await?.concat();
    all.sort();
    same("both halves", listed(env, &format!("{SECOND} || {FIRST}")).await?, all.clone())?;
    let whole = FIRST.replace("0x8000000000000000", "0x10000000000000000");
    same("the whole range", listed(env, &whole).await?, all)
}

async fn a_shard_selector_may_hash_the_namespace(env: &Env) -> Verdict {
    let mut all = fill(env).await?.concat();
    all.sort();
    let halves = [FIRST, SECOND].map(|half| half.replace("uid", "namespace"));
    let own = half(&env.namespace);
    same("the half of the namespace", listed(env, &halves[own]).await?, all)?;
    same("the other half", listed(env, &halves[1 - own]).await?, Vec::<String>::new())
}

async fn pages_of_a_shard_count_the_objects_of_all(env: &Env) -> Verdict {
    let [first, second] = fill(env).await?;
    let (mut token, mut seen, mut before) = (String::new(), Vec::new(), first.len() + second.len());
    loop {
        let page = env.get(&maps(env, FIRST, &format!("&limit=1&continue={token}"))).await?.is(200)?;
        seen.extend(names(&page));
        text(&page.body["metadata"]["continue"]).clone_into(&mut token);
        if token.is_empty() {
            break;
        }
        let remaining = page.body["metadata"]["remainingItemCount"].as_u64().ok_or("no remaining count")?;
        holds("the count of what remains includes the other shards", remaining == before as u64 - 1)?;
        let last = seen.last().ok_or("a page without an object")?;
        before = first.iter().chain(&second).filter(|name| *name > last).count();
    }
    same("names", seen, first)
}

async fn a_shard_of_a_custom_resource_is_listed(env: &Env) -> Verdict {
    let mut halves = [Vec::new(), Vec::new()];
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        let widget = env.widget(name, json!({"size": 1})).await?;
        halves[half(widget.metadata.uid.as_deref().unwrap_or_default())].push(name.to_owned());
    }
    for (selector, expected) in [(FIRST, &halves[0]), (SECOND, &halves[1])] {
        let path = env.path(&format!("?shardSelector={}", selector.replace('\'', "%27")));
        let list = env.get(&path).await?.is(200)?;
        same("half", &names(&list), expected)?;
        same("shardInfo", &list.body["metadata"]["shardInfo"], &Value::Null)?;
    }
    Ok(())
}

async fn only_full_lists_of_built_in_kinds_report_their_shards(env: &Env) -> Verdict {
    let path = maps(env, &format!("{FIRST}||{SECOND}"), "");
    let list = env.get(&path).await?.is(200)?;
    let printed = format!("{FIRST} || {SECOND}").replace(',', ", ");
    same("shardInfo", text(&list.body["metadata"]["shardInfo"]["selector"]), printed.as_str())?;
    for form in ["PartialObjectMetadataList", "Table"] {
        let accept = format!("application/json;as={form};g=meta.k8s.io;v=v1");
        let list = env.accepting(&path, &accept).await?.is(200)?;
        same(form, &list.body["metadata"]["shardInfo"], &Value::Null)?;
    }
    let plain = env.get(&env.core("configmaps")).await?.is(200)?;
    same("without a selector", &plain.body["metadata"]["shardInfo"], &Value::Null)
}

async fn a_watch_of_a_shard_reports_its_changes_and_deletions(env: &Env) -> Verdict {
    let [first, second] = fill(env).await?;
    let since = env.get(&env.core("configmaps")).await?.is(200)?.version();
    let path = maps(env, FIRST, &format!("&watch=true&resourceVersion={since}"));
    let mut events = watch(env, &path, "application/json").await?;
    for (own, other) in first.iter().zip(&second) {
        for name in [other, own] {
            env.merge(&env.core(&format!("configmaps/{name}")), &json!({"data": {"k": "2"}})).await?.is(200)?;
        }
        same("event", brief(&next(&mut events).await?), format!("MODIFIED {own}"))?;
        for name in [other, own] {
            env.maps().delete(name, &DeleteParams::default()).await?;
        }
        same("event", brief(&next(&mut events).await?), format!("DELETED {own}"))?;
    }
    Ok(())
}

async fn a_streaming_list_of_a_shard_is_filtered(env: &Env) -> Verdict {
    let [_, second] = fill(env).await?;
    let stream = "&watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut events = watch(env, &maps(env, SECOND, stream), "application/json").await?;
    for name in second {
        same("event", brief(&next(&mut events).await?), format!("ADDED {name}"))?;
    }
    let end = next(&mut events).await?;
    same("end of the list", text(&end["type"]), "BOOKMARK")
}

async fn an_unreadable_shard_selector_is_an_internal_error(env: &Env) -> Verdict {
    let short = FIRST.replace("0x0000000000000000", "0x0");
    let named = FIRST.replace("uid", "name");
    let mixed = format!("{FIRST}||{}", SECOND.replace("uid", "namespace"));
    for selector in ["rubbish", "%20", &short, &named, &mixed, "shardRange(a)"] {
        for (method, rest) in [("GET", ""), ("GET", "&watch=true"), ("GET", "&limit=1&continue=x"), ("DELETE", "")] {
            let answer = env.send(method, &maps(env, selector, rest), "", "").await?.is(500)?;
            same("reason", &answer.body["reason"], &Value::Null)?;
            let message = text(&answer.body["message"]);
            holds(message, message.starts_with("invalid shard selector: "))?;
        }
    }
    // Other errors are found first, and requests for one object ignore the parameter.
    env.get(&maps(env, "rubbish", "&labelSelector=a%20in%20(b")).await?.refuses(400, "BadRequest")?;
    env.maps().create(&PostParams::default(), &map(json!({"metadata": {"name": "a"}}))).await?;
    env.get(&env.core("configmaps/a?shardSelector=rubbish")).await?.is(200).map(|_| ())
}

async fn a_collection_is_deleted_in_a_shard(env: &Env) -> Verdict {
    let [first, second] = fill(env).await?;
    let deleted = env.send("DELETE", &maps(env, FIRST, ""), "", "").await?.is(200)?;
    same("deleted", names(&deleted), first)?;
    holds("the list reports its shards", !deleted.body["metadata"]["shardInfo"].is_null())?;
    same("left", names(&env.get(&env.core("configmaps")).await?.is(200)?), second)
}

async fn a_server_without_shards_ignores_their_selector(env: &Env) -> Verdict {
    let mut all = fill(env).await?.concat();
    all.sort();
    for selector in [FIRST, "rubbish"] {
        same(selector, listed(env, selector).await?, all.clone())?;
    }
    let list = env.get(&maps(env, FIRST, "")).await?.is(200)?;
    same("shardInfo", &list.body["metadata"]["shardInfo"], &Value::Null)?;
    let mut events = watch(env, &maps(env, "rubbish", "&watch=true"), "application/json").await?;
    // Some servers send the first events in any order.
    let mut added = Vec::new();
    for _ in &all {
        added.push(brief(&next(&mut events).await?));
    }
    added.sort();
    same("events", added, all.iter().map(|name| format!("ADDED {name}")).collect::<Vec<_>>())
}
