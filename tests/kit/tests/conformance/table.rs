//! Tables and partial objects, which clients request to print objects.

use serde_json::{Value, json};

use crate::check::{Broken, Verdict, eventually, same};
use crate::env::{Answer, Env, text};
use crate::rule::rules;

rules!(
    crd_columns_fill_cells,
    a_crd_without_columns_shows_name_and_age,
    a_table_has_the_requested_version,
    the_preferred_media_type_is_returned,
    unsupported_media_types_are_not_acceptable,
    an_apply_returns_only_metadata_on_request,
    a_table_of_an_absent_object_is_a_status,
);

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PARTIAL: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

fn column(name: &str, type_: &str, path: &str) -> Value {
    json!({"name": name, "type": type_, "jsonPath": path})
}

fn columns() -> Vec<Value> {
    vec![
        column("Text", "string", ".spec.text"),
        column("Number as text", "string", ".spec.count"),
        column("List as text", "string", ".spec.list"),
        column("Map as text", "string", ".spec.map"),
        column("Count", "integer", ".spec.count"),
        column("Text as integer", "integer", ".spec.text"),
        column("Half", "number", ".spec.half"),
        column("Half as integer", "integer", ".spec.half"),
        column("Flag", "boolean", ".spec.flag"),
        column("Text as flag", "boolean", ".spec.text"),
        column("Absent", "string", ".spec.absent.deeper"),
        column("Absent date", "date", ".spec.when"),
        column("No date", "date", ".spec.text"),
        column("First", "string", ".spec.list[0]"),
        column("Last", "string", ".spec.list[-1:]"),
        column("Beyond", "string", ".spec.list[7]"),
        column("Chosen", "string", r#".spec.parts[?(@.type=="b")].value"#),
        column("Escaped", "string", r".metadata.labels.ex\.dev/a"),
        column("In quotes", "string", ".metadata.labels['ex\\.dev/a']"),
    ]
}

/// Creates a CRD with these columns and an object; returns the path of the object.
async fn printed(env: &Env, columns: &[Value]) -> Result<String, Broken> {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let mut definition = Env::definition(&env.group(), "Print", &schema, &json!({}));
    if !columns.is_empty() {
        definition["spec"]["versions"][0]["additionalPrinterColumns"] = json!(columns);
    }
    env.define(&definition).await?;
    let path = format!("/apis/{}/v1/namespaces/{}/prints", env.group(), env.namespace);
    let object = json!({"apiVersion": format!("{}/v1", env.group()), "kind": "Print",
        "metadata": {"name": "p", "labels": {"ex.dev/a": "label"}},
        "spec": {"text": "words", "count": 3, "list": ["x", "y"], "map": {"k": 1}, "half": 1.5, "flag": true,
            "parts": [{"type": "a", "value": 1}, {"type": "b", "value": 2}]}});
    eventually("the object is made", || async {
        let answer = env.post(&path, &object).await?;
        Ok(matches!(answer.status, 201 | 409).then_some(()))
    })
    .await?;
    Ok(path)
}

async fn table(env: &Env, path: &str) -> Result<Answer, Broken> {
    env.accepting(path, TABLE).await?.is(200)
}

async fn crd_columns_fill_cells(env: &Env) -> Verdict {
    let path = printed(env, &columns()).await?;
    let answer = table(env, &path).await?;
    let expected = json!([
        "p",
        "words",
        "3",
        "[\"x\",\"y\"]",
        "{\"k\":1}",
        3,
        null,
        1.5,
        1,
        true,
        null,
        null,
        null,
        "<invalid>",
        "x",
        "y",
        null,
        "2",
        "label",
        "label"
    ]);
    let names: Vec<&str> =
        answer.body["columnDefinitions"].as_array().into_iter().flatten().map(|column| text(&column["name"])).collect();
    let found = answer.body["rows"][0]["cells"].as_array().cloned().unwrap_or_default();
    for ((name, found), expected) in names.iter().zip(&found).zip(expected.as_array().into_iter().flatten()) {
        same(name, found, expected)?;
    }
    same("cells", found.len(), 20)
}

async fn a_crd_without_columns_shows_name_and_age(env: &Env) -> Verdict {
    let path = printed(env, &[]).await?;
    let answer = table(env, &path).await?;
    let heads: Vec<(&str, &str)> = answer.body["columnDefinitions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|column| (text(&column["name"]), text(&column["type"])))
        .collect();
    same("columns", heads, vec![("Name", "string"), ("Age", "date")])
}

async fn a_table_has_the_requested_version(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    let beta = "application/json;as=Table;v=v1beta1;g=meta.k8s.io";
    let answer = env.accepting(&env.path("/a?includeObject=Metadata"), beta).await?.is(200)?;
    same("version", &answer.body["apiVersion"], "meta.k8s.io/v1beta1")?;
    same("row", &answer.body["rows"][0]["object"]["apiVersion"], "meta.k8s.io/v1beta1")
}

async fn the_preferred_media_type_is_returned(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    let cases = [
        (format!("application/json;q=0.5,{PARTIAL}"), "PartialObjectMetadata"),
        (format!("{PARTIAL};q=0.2,application/json;q=0.7"), "Widget"),
        (format!("application/json;as=Bogus;v=v1;g=meta.k8s.io,{TABLE}"), "Table"),
        (format!("text/html,{PARTIAL}"), "PartialObjectMetadata"),
        ("*/*".to_owned(), "Widget"),
    ];
    for (accept, kind) in cases {
        let answer = env.accepting(&env.path("/a"), &accept).await?.is(200)?;
        same(&accept, &answer.body["kind"], kind)?;
    }
    Ok(())
}

async fn unsupported_media_types_are_not_acceptable(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    for accept in
        ["text/html", "application/json;as=Bogus;v=v1;g=meta.k8s.io", "application/json;as=Table;v=v2;g=meta.k8s.io"]
    {
        env.accepting(&env.path("/a"), accept).await?.refuses(406, "NotAcceptable")?;
    }
    env.accepting(&env.path(""), PARTIAL).await?.refuses(406, "NotAcceptable").map(|_| ())
}

async fn an_apply_returns_only_metadata_on_request(env: &Env) -> Verdict {
    let widget = json!({"apiVersion": "conform.evenkeel.dev/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 1}});
    let path = env.path("/a?fieldManager=m");
    let answer =
        env.exchange("PATCH", &path, "application/apply-patch+yaml", PARTIAL, &widget.to_string()).await?.is(201)?;
    same("kind", &answer.body["kind"], "PartialObjectMetadata")?;
    same("spec", &answer.body["spec"], &Value::Null)
}

async fn a_table_of_an_absent_object_is_a_status(env: &Env) -> Verdict {
    env.accepting(&env.path("/absent"), TABLE).await?.refuses(404, "NotFound").map(|_| ())
}
