//! Conversion webhooks of CRDs: what a conversion may change, failed conversions, and the checks of CRDs.

use http::StatusCode;
use serde_json::{Value, json};

use crate::check::{Verdict, holds, same};
use crate::conversion_server::{crd, webhook, with_cats};
use crate::env::{CRDS, Env, text};
use crate::rule::rules;
use crate::webhook_server::Reply;

rules![
    a_conversion_changes_only_labels_and_annotations,
    a_failed_conversion_fails_the_request,
    a_failed_conversion_stores_nothing,
    wrong_conversions_are_refused,
];

async fn a_conversion_changes_only_labels_and_annotations(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        let made = cats.create("v1", "a", json!({"size": 1})).await?.is(201)?;
        let before = &made.body["metadata"];
        let path = cats.path("v2", "/a");
        for field in ["labels", "annotations"] {
            cats.script(json!({"object": {"metadata": {field: {"x": "1"}}}}));
            let read = env.get(&path).await?.is(200)?;
            same(field, &read.body["metadata"][field], &json!({"x": "1"}))?;
        }
        for (field, value) in [
            ("finalizers", json!(["a/b"])),
            ("generation", json!(7)),
            ("managedFields", Value::Null),
            ("bogus", json!(1)),
        ] {
            cats.script(json!({"object": {"metadata": {field: value}}}));
            same(field, &env.get(&path).await?.is(200)?.body["metadata"], before)?;
        }
        let uid = text(&before["uid"]);
        for (field, name, was) in
            [("name", "name", "a"), ("namespace", "namespace", &env.namespace), ("uid", "UID", uid)]
        {
            cats.script(json!({"object": {"metadata": {field: "zz"}}}));
            let answer = env.get(&path).await?.refuses(500, "")?;
            let head = format!("conversion webhook for {}/v1, Kind=Cat returned invalid object", env.group());
            same(field, text(&answer.body["message"]), format!("{head}: must have the same {name}: {was} != zz"))?;
        }
        cats.script(json!({"object": {"metadata": {"labels": {"x": 3}}}}));
        let answer = env.get(&path).await?.refuses(500, "")?;
        let end = "returned invalid metadata: metadata.labels[x] must be a string, but is int64 in converted object";
        holds(text(&answer.body["message"]), text(&answer.body["message"]).ends_with(end))
    })
    .await
}

async fn a_failed_conversion_fails_the_request(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        cats.create("v1", "a", json!({"size": 1})).await?.is(201)?;
        let (path, group) = (cats.path("v2", "/a"), env.group());
        let answered = |answer: Value| Reply::Converted(json!({"answer": answer}));
        let response = |response: Value| answered(json!({"response": response}));
        let result = |result: Value| response(json!({"result": result}));
        let wrong = |object: Value| Reply::Converted(json!({"object": object}));
        let cases = [
            (result(json!({"status": "Failure", "message": "no way"})), "failed: no way".to_owned()),
            (
                result(json!({"status": "Failure"})),
                "failed: response.result.status was 'Failure', not 'Success'".to_owned(),
            ),
            (result(Value::Null), "failed: response.result.status was '', not 'Success'".to_owned()),
            (response(json!({"convertedObjects": []})), "returned 0 objects, expected 1".to_owned()),
            (answered(json!({"response": null})), "failed: no response provided".to_owned()),
            (
                Reply::Raw("{}"),
                "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind="
                    .to_owned(),
            ),
            (
                answered(json!({"apiVersion": "apiextensions.k8s.io/v1beta1"})),
                "failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion".to_owned(),
            ),
            (Reply::Code(StatusCode::NOT_FOUND), "failed: the server could not find the requested resource".to_owned()),
            (
                Reply::Code(StatusCode::INTERNAL_SERVER_ERROR),
                "failed: an error on the server (\"unknown\") has prevented the request from succeeding".to_owned(),
            ),
            (
                wrong(json!({"kind": "Dog"})),
                "returned invalid object at index 0: invalid kind (expected Cat, received Dog)".to_owned(),
            ),
            (
                wrong(json!({"apiVersion": "a/b"})),
                format!("returned invalid object at index 0: invalid groupVersion (expected {group}/v2, received a/b)"),
            ),
        ];
        for (reply, message) in cases {
            cats.hooks.reply("convert", reply);
            let answer = env.get(&path).await?.refuses(500, "")?;
            let expected = format!("conversion webhook for {group}/v1, Kind=Cat {message}");
            same(&message, text(&answer.body["message"]), expected)?;
        }
        cats.hooks.reply("convert", response(json!({"uid": "nope"})));
        let answer = env.get(&path).await?.refuses(500, "")?;
        holds(text(&answer.body["message"]), text(&answer.body["message"]).ends_with(", got \"nope\""))
    })
    .await
}

async fn a_failed_conversion_stores_nothing(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        cats.create("v1", "a", json!({"size": 1})).await?.is(201)?;
        cats.hooks.reply("convert", Reply::Code(StatusCode::NOT_FOUND));
        let answer = cats.create("v2", "b", json!({"length": 1})).await?.refuses(500, "")?;
        let head = format!("conversion webhook for {}/v2, Kind=Cat failed: ", env.group());
        holds(text(&answer.body["message"]), text(&answer.body["message"]).starts_with(&head))?;
        env.merge(&cats.path("v2", "/a"), &json!({"spec": {"length": 2}})).await?.refuses(500, "")?;
        let listed = env.get(&cats.path("v1", "")).await?.is(200)?;
        let sizes: Vec<&Value> =
            listed.body["items"].as_array().into_iter().flatten().map(|item| &item["spec"]["size"]).collect();
        same("sizes", sizes, [&json!(1)])?;
        env.merge(&cats.path("v1", "/a"), &json!({"spec": {"size": 2}})).await?.is(200).map(drop)
    })
    .await
}

async fn wrong_conversions_are_refused(env: &Env) -> Verdict {
    let url = |url: &str| webhook(&json!({"url": url}));
    let service = |service: Value| webhook(&json!({"service": service}));
    let versions = |versions: Value| {
        let mut conversion = url("https://x/y");
        conversion["webhook"]["conversionReviewVersions"] = versions;
        conversion
    };
    let cases = [
        (json!({"strategy": "Webhook"}), "webhookClientConfig"),
        (webhook(&json!({})), "webhookClientConfig"),
        (url("http://x/y"), "webhookClientConfig.url"),
        (url("https://x/y?z=1"), "webhookClientConfig.url"),
        (service(json!({"name": "", "namespace": ""})), "webhookClientConfig.service.name"),
        (service(json!({"name": "a", "namespace": "b", "path": "x"})), "webhookClientConfig.service.path"),
        (service(json!({"name": "a", "namespace": "b", "port": 0})), "webhookClientConfig.service.port"),
        (versions(json!([])), "conversionReviewVersions"),
        (versions(json!(["v7"])), "conversionReviewVersions"),
        (versions(json!(["v1", "v1"])), "conversionReviewVersions[1]"),
        (json!({"strategy": "Copy"}), "strategy"),
    ];
    for (conversion, field) in cases {
        let answer = env.post(&format!("{CRDS}?dryRun=All"), &crd(env, &conversion)).await?.refuses(422, "Invalid")?;
        let field = format!("spec.conversion.{field}");
        holds(&format!("{conversion}: {}", answer.body), answer.fields().contains(&field.as_str()))?;
    }
    let stored = env
        .post(&format!("{CRDS}?dryRun=All"), &crd(env, &service(json!({"name": "a", "namespace": "b"}))))
        .await?
        .is(201)?;
    same("port", stored.body.pointer("/spec/conversion/webhook/clientConfig/service/port"), Some(&json!(443)))
}
