//! Admission policies: which writes they review, their parameters, and the checks of policies and bindings.

use serde_json::{Value, json};

use crate::check::{Verdict, eventually, holds, same};
use crate::env::{Env, text};
use crate::policy_server::{
    BINDINGS, POLICIES, Policy, create, create_for, enforce, own, policy, rule, validating, why,
};
use crate::rule::rules;
use crate::webhook_server::widget;

rules![
    a_policy_and_its_binding_get_their_defaults,
    a_policy_is_reviewed_only_with_a_binding,
    a_binding_may_restrict_its_policy,
    a_rule_of_a_policy_may_name_or_exclude_objects,
    policies_are_never_reviewed,
    a_policy_has_a_parameter,
    parameters_may_be_selected_by_label,
    a_missing_parameter_follows_its_action,
    wrong_policies_are_refused,
    wrong_policy_bindings_are_refused,
];

async fn a_policy_and_its_binding_get_their_defaults(env: &Env) -> Verdict {
    let resources = json!({"resourceRules": [rule("widgets")]});
    let (sent, binding) = validating("p", "true").bound(json!({"matchResources": resources})).objects(env);
    let path = format!("{POLICIES}?fieldManager=me");
    let made = env.post(&path, &sent).await?.is(201)?;
    let mut expected = sent["spec"].clone();
    let constraints = &mut expected["matchConstraints"];
    constraints["matchPolicy"] = json!("Equivalent");
    constraints["objectSelector"] = json!({});
    constraints["resourceRules"][0]["scope"] = json!("*");
    expected["failurePolicy"] = json!("Fail");
    same("policy", &made.body["spec"], &expected)?;
    same("status", &made.body["status"], &json!({}))?;
    same("generation", &made.body["metadata"]["generation"], 1)?;
    let owned = json!({"f:failurePolicy": {}, "f:matchConstraints": {}, "f:validations": {}});
    same("owned", &made.owned("me")["f:spec"], &owned)?;
    let made = env.post(&format!("{BINDINGS}?fieldManager=me"), &binding).await?.is(201)?;
    let mut expected = binding["spec"].clone();
    expected["matchResources"] = json!({"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {},
        "resourceRules": expected["matchResources"]["resourceRules"]});
    expected["matchResources"]["resourceRules"][0]["scope"] = json!("*");
    same("binding", &made.body["spec"], &expected)?;
    let owned = json!({"f:matchResources": {}, "f:policyName": {}, "f:validationActions": {".": {}, "v:\"Deny\"": {}}});
    same("owned", &made.owned("me")["f:spec"], &owned)
}

async fn a_policy_is_reviewed_only_with_a_binding(env: &Env) -> Verdict {
    let (unbound, _) = validating("unbound", "false").objects(env);
    env.post(POLICIES, &unbound).await?.is(201)?;
    enforce(env, [validating("p", "object.spec.size < 5")]).await?;
    create(env, json!({"size": 1})).await?.is(201)?;
    create(env, json!({"size": 7})).await?.refuses(422, "Invalid")?;
    env.send("DELETE", &format!("{BINDINGS}/p.{}", env.namespace), "", "").await?.is(200)?;
    let allowed = || async { Ok((create(env, json!({"size": 7})).await?.status == 201).then_some(())) };
    eventually("the policy has no effect", allowed).await
}

async fn a_binding_may_restrict_its_policy(env: &Env) -> Verdict {
    let denied = |name: &str, resources: Value| {
        own(name, json!({"validations": [{"expression": "false"}]})).bound(json!({"matchResources": resources}))
    };
    let deletions =
        json!([{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["DELETE"], "resources": ["widgets"]}]);
    let policies = [
        denied("all", json!({})),
        denied("label", json!({"objectSelector": {"matchLabels": {"policy": "other"}}})),
        denied(
            "namespace",
            json!({"namespaceSelector": {"matchExpressions": [{"key": "rule", "operator": "DoesNotExist"}]}}),
        ),
        denied("operation", json!({"resourceRules": deletions})),
        denied("excluded", json!({"excludeResourceRules": [rule("*")]})),
    ];
    enforce(env, policies).await?;
    create_for(env, "all").await?.refuses(422, "Invalid")?;
    for name in ["label", "namespace", "operation", "excluded"] {
        create_for(env, name).await?.is(201)?;
    }
    Ok(())
}

async fn a_rule_of_a_policy_may_name_or_exclude_objects(env: &Env) -> Verdict {
    let named = |name: &str| {
        let mut rule = rule("widgets");
        rule["resourceNames"] = json!([name]);
        json!([rule])
    };
    let denied = |name: &str, constraints: Value| {
        own(name, json!({"matchConstraints": constraints, "validations": [{"expression": "false"}]}))
    };
    let exact = json!({"matchPolicy": "Exact", "excludeResourceRules": [rule("widgets/status")]});
    let policies = [
        denied("named", json!({"resourceRules": named("w")})),
        denied("other", json!({"resourceRules": named("x")})),
        denied("excluded", json!({"excludeResourceRules": named("w")})),
        denied("status", exact),
    ];
    enforce(env, policies).await?;
    for (name, is_denied) in [("named", true), ("other", false), ("excluded", false), ("status", true)] {
        let answer = create_for(env, name).await?;
        same(name, answer.status, if is_denied { 422 } else { 201 })?;
    }
    Ok(())
}

async fn policies_are_never_reviewed(env: &Env) -> Verdict {
    let all = json!([{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}]);
    let constraints = json!({"resourceRules": all, "namespaceSelector": {}, "objectSelector": {"matchLabels": {"rule": env.namespace}}});
    enforce(env, [policy("p", json!({"matchConstraints": constraints, "validations": [{"expression": "false"}]}))])
        .await?;
    let labels = json!({"metadata": {"labels": {"rule": env.namespace}}});
    env.merge(&env.core("serviceaccounts/none"), &labels).await?.is(404)?;
    for path in [POLICIES, BINDINGS] {
        env.merge(&format!("{path}/p.{}", env.namespace), &labels).await?.is(200)?;
    }
    let mut map = json!({"metadata": {"name": "a"}});
    map["metadata"]["labels"] = labels["metadata"]["labels"].clone();
    env.post(&env.core("configmaps"), &map).await?.refuses(422, "Invalid").map(drop)
}

/// A policy with a widget as its parameter, whose size is the limit.
fn limited(name: &str, reference: &Value) -> Policy {
    let validation = json!({"expression": "object.spec.size <= params.spec.size",
        "messageExpression": "string(params.metadata.name) + ' allows ' + string(params.spec.size)"});
    let spec =
        json!({"paramKind": {"apiVersion": "conform.evenkeel.dev/v1", "kind": "Widget"}, "validations": [validation]});
    let policy = own(name, spec);
    if reference.is_null() { policy } else { policy.bound(json!({"paramRef": reference})) }
}

async fn limit(env: &Env, name: &str, size: u8) -> Verdict {
    let mut sent = widget(name, json!({"size": size}));
    sent["metadata"]["labels"] = json!({"limit": "yes"});
    env.post(&env.path(""), &sent).await?.is(201)?;
    Ok(())
}

/// Waits for a message, since API servers read parameters asynchronously.
async fn denied_with(env: &Env, name: &str, message: &str) -> Verdict {
    let mut last = String::new();
    for _ in 0..200 {
        let answer = create_for(env, name).await?;
        match why(env, name, &answer) {
            Ok(found) if found == message => return Ok(()),
            Ok(found) => found.clone_into(&mut last),
            Err(error) => last = error.to_string(),
        }
        tokio::time::sleep(std::time::Duration::from_millis(75)).await;
    }
    Err(format!("expected {message}, found {last}").into())
}

async fn a_policy_has_a_parameter(env: &Env) -> Verdict {
    limit(env, "five", 5).await?;
    limit(env, "nine", 9).await?;
    let by_name = |name: &str| json!({"name": name, "parameterNotFoundAction": "Deny"});
    let elsewhere = json!({"name": "five", "namespace": env.namespace, "parameterNotFoundAction": "Deny"});
    let policies = [
        limited("five", &by_name("five")),
        limited("nine", &by_name("nine")),
        limited("elsewhere", &elsewhere),
        limited("none", &Value::Null),
    ];
    enforce(env, policies).await?;
    denied_with(env, "five", "five allows 5").await?;
    denied_with(env, "elsewhere", "five allows 5").await?;
    let error = "expression 'object.spec.size <= params.spec.size' resulted in error: no such key: spec";
    denied_with(env, "none", error).await?;
    let allowed = || async { Ok((create_for(env, "nine").await?.status == 201).then_some(())) };
    eventually("nine allows 7", allowed).await?;
    env.merge(&env.path("/nine"), &json!({"spec": {"size": 6}})).await?.is(200)?;
    denied_with(env, "nine", "nine allows 6").await
}

async fn parameters_may_be_selected_by_label(env: &Env) -> Verdict {
    limit(env, "nine", 9).await?;
    limit(env, "three", 3).await?;
    let selector = json!({"selector": {"matchLabels": {"limit": "yes"}}, "parameterNotFoundAction": "Deny"});
    let none = json!({"selector": {"matchLabels": {"limit": "no"}}, "parameterNotFoundAction": "Allow"});
    enforce(env, [limited("all", &selector), limited("none", &none)]).await?;
    denied_with(env, "all", "three allows 3").await?;
    create_for(env, "none").await?.is(201)?;
    env.send("DELETE", &env.path("/three"), "", "").await?.is(200)?;
    let allowed = || async { Ok((create_for(env, "all").await?.status == 201).then_some(())) };
    eventually("nine allows 7", allowed).await
}

async fn a_missing_parameter_follows_its_action(env: &Env) -> Verdict {
    let missing = |action: &str| json!({"name": "nope", "parameterNotFoundAction": action});
    let unknown =
        json!({"paramKind": {"apiVersion": "nope.dev/v1", "kind": "Nope"}, "validations": [{"expression": "true"}]});
    let cluster =
        json!({"paramKind": {"apiVersion": "v1", "kind": "Namespace"}, "validations": [{"expression": "true"}]});
    let policies = [
        limited("deny", &missing("Deny")).bound(json!({"validationActions": ["Warn"]})),
        limited("allow", &missing("Allow")),
        own("unknown", unknown),
        own("cluster", cluster).bound(json!({"paramRef": {"name": "default", "namespace": "default",
            "parameterNotFoundAction": "Deny"}})),
    ];
    enforce(env, policies).await?;
    let none = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    denied_with(env, "deny", none).await?;
    create_for(env, "allow").await?.is(201)?;
    let answer = create_for(env, "unknown").await?.refuses(422, "Invalid")?;
    let message = format!(
        "ValidatingAdmissionPolicy 'unknown.{}' denied request: failed to configure policy: failed to find resource \
         referenced by paramKind: 'nope.dev/v1, Kind=Nope'",
        env.namespace
    );
    holds(text(&answer.body["message"]), text(&answer.body["message"]).ends_with(&message))?;
    let both = "failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`";
    denied_with(env, "cluster", both).await
}

async fn wrong_policies_are_refused(env: &Env) -> Verdict {
    let validation = |validation: Value| json!({"validations": [validation]});
    let expression = |text: &str| validation(json!({"expression": text}));
    let with = |field: &str, value: Value| json!({field: value, "validations": [{"expression": "true"}]});
    let cases = [
        (with("failurePolicy", json!("Maybe")), "failurePolicy", "supported values"),
        (json!({"validations": []}), "validations", "at least one item"),
        (expression(""), "validations[0].expression", "expression is not specified"),
        (
            expression("object.spec."),
            "validations[0].expression",
            "compilation failed: ERROR: <input>:1:13: Syntax error",
        ),
        (expression("object.spec"), "validations[0].expression", "must evaluate to bool but got dyn"),
        (expression("nope == 1"), "validations[0].expression", "undeclared reference to 'nope' (in container '')"),
        (expression("params == null"), "validations[0].expression", "undeclared reference to 'params'"),
        (expression("request.nope == 1"), "validations[0].expression", "undefined field 'nope'"),
        (expression("1 == 'a'"), "validations[0].expression", "applied to '(int, string)'"),
        (
            validation(json!({"expression": "true", "messageExpression": "1"})),
            "validations[0].messageExpression",
            "must evaluate to string but got int",
        ),
        (
            validation(json!({"expression": "true", "message": "a\nb"})),
            "validations[0].message",
            "must not contain line breaks",
        ),
        (validation(json!({"expression": "true", "reason": "Nope"})), "validations[0].reason", "supported values"),
        (
            with("variables", json!([{"name": "a-b", "expression": "1"}])),
            "variables[0].name",
            "not a valid CEL identifier",
        ),
        (
            with("variables", json!([{"name": "a", "expression": "variables.b"}])),
            "variables[0].expression",
            "undefined field 'b'",
        ),
        (
            with("matchConditions", json!([{"name": "c", "expression": "1"}])),
            "matchConditions[0].expression",
            "must evaluate to bool but got int",
        ),
        (
            with("auditAnnotations", json!([{"key": "k", "valueExpression": "1"}])),
            "auditAnnotations[0].valueExpression",
            "one of [string null_type] but got int",
        ),
        (with("paramKind", json!({"apiVersion": "v1"})), "paramKind.kind", "Required value"),
        (with("matchConstraints", json!({"resourceRules": []})), "matchConstraints.resourceRules", "Required value"),
        (with("matchConstraints", json!({"matchPolicy": "Maybe"})), "matchConstraints.matchPolicy", "supported values"),
    ];
    for (spec, field, message) in cases {
        let (sent, _) = policy("p", spec).objects(env);
        let answer = env.post(POLICIES, &sent).await?.refuses(422, "Invalid")?;
        let field = format!("spec.{field}");
        holds(&format!("{field}: {}", answer.body), answer.fields().contains(&field.as_str()))?;
        holds(&answer.body.to_string(), text(&answer.body["message"]).contains(message))?;
    }
    Ok(())
}

async fn wrong_policy_bindings_are_refused(env: &Env) -> Verdict {
    let parameter = |reference: Value| json!({"paramRef": reference});
    let both = json!({"name": "a", "selector": {}, "parameterNotFoundAction": "Deny"});
    let cases = [
        (json!({"validationActions": []}), "validationActions"),
        (json!({"validationActions": ["Deny", "Warn"]}), "validationActions"),
        (json!({"validationActions": ["Refuse"]}), "validationActions[0]"),
        (json!({"matchResources": {"matchPolicy": "Maybe"}}), "matchResouces.matchPolicy"),
        (parameter(json!({"parameterNotFoundAction": "Deny"})), "paramRef"),
        (parameter(json!({"name": "a"})), "paramRef.parameterNotFoundAction"),
        (parameter(both), "paramRef.name"),
    ];
    for (spec, field) in cases {
        let (_, sent) = validating("p", "true").bound(spec.clone()).objects(env);
        let answer = env.post(BINDINGS, &sent).await?.refuses(422, "Invalid")?;
        same(&spec.to_string(), answer.fields().first(), Some(&format!("spec.{field}").as_str()))?;
    }
    Ok(())
}
