//! Admission policies: their denials, messages, failures and variables.

use serde_json::{Value, json};

use crate::check::{Verdict, holds, same};
use crate::env::{Env, text};
use crate::policy_server::{
    create, create_for, create_object, enforce, own, policy, selected, validating, warnings, why,
};
use crate::rule::rules;
use crate::webhook_server::{Reply, Webhook, widget};

rules![
    a_policy_denies_a_write_that_breaks_it,
    a_denial_has_the_reason_of_the_validation,
    a_denial_has_the_message_of_the_validation,
    the_first_broken_validation_is_reported,
    a_failed_expression_denies_the_write,
    a_failed_expression_may_be_ignored,
    policy_variables_are_evaluated_when_they_are_read,
    a_match_condition_decides_about_the_policy,
    a_binding_may_warn_or_audit,
    policies_are_evaluated_before_validating_webhooks,
    a_policy_reads_the_request_and_its_namespace,
    a_policy_reviews_deletions_and_subresources,
    the_expressions_of_a_policy_have_a_cost_limit,
];

async fn a_policy_denies_a_write_that_breaks_it(env: &Env) -> Verdict {
    enforce(env, [validating("small", "object.spec.size <= 5")]).await?;
    env.post(&env.path(""), &widget("w", json!({"size": 5}))).await?.is(201)?;
    let answer = env.merge(&env.path("/w"), &json!({"spec": {"size": 6}})).await?.refuses(422, "Invalid")?;
    let why = format!(
        "ValidatingAdmissionPolicy 'small.{0}' with binding 'small.{0}' denied request: failed expression: object.spec.size <= 5",
        env.namespace
    );
    let message = format!("widgets.conform.evenkeel.dev \"w\" is forbidden: {why}");
    same("message", text(&answer.body["message"]), message)?;
    let details =
        json!({"name": "w", "group": "conform.evenkeel.dev", "kind": "widgets", "causes": [{"message": why}]});
    same("details", &answer.body["details"], &details)?;
    let kept = env.get(&env.path("/w")).await?.is(200)?;
    same("size", &kept.body["spec"]["size"], 5)
}

async fn a_denial_has_the_reason_of_the_validation(env: &Env) -> Verdict {
    let reason =
        |reason: &str| own(&reason.to_lowercase(), json!({"validations": [{"expression": "false", "reason": reason}]}));
    let cases = [("Unauthorized", 401), ("Forbidden", 403), ("RequestEntityTooLarge", 413), ("Invalid", 422)];
    enforce(env, cases.map(|(one, _)| reason(one))).await?;
    for (reason, code) in cases {
        create_for(env, &reason.to_lowercase()).await?.refuses(code, reason)?;
    }
    Ok(())
}

async fn a_denial_has_the_message_of_the_validation(env: &Env) -> Verdict {
    let cases = [
        ("plain", json!({"message": " too large "}), "too large"),
        ("computed", json!({"messageExpression": "'size ' + string(object.spec.size)", "message": "m"}), "size 7"),
        ("failed", json!({"messageExpression": "'size ' + string(object.spec.nope)", "message": "m"}), "m"),
        ("empty", json!({"messageExpression": "' ' + ''", "message": "m"}), "m"),
        ("lines", json!({"messageExpression": "'a\\nb'"}), "failed expression: object.spec.size < 0"),
    ];
    let policies = cases.each_ref().map(|(name, fields, _)| {
        let mut validation = fields.clone();
        validation["expression"] = json!(" object.spec.size < 0 ");
        own(name, json!({"validations": [validation]}))
    });
    enforce(env, policies).await?;
    for (name, _, message) in cases {
        let answer = create_for(env, name).await?.refuses(422, "Invalid")?;
        same(name, why(env, name, &answer)?, message)?;
    }
    Ok(())
}

async fn the_first_broken_validation_is_reported(env: &Env) -> Verdict {
    let validations = json!([{"expression": "true", "message": "one"},
        {"expression": "object.spec.size < 5", "message": "two", "reason": "Forbidden"},
        {"expression": "object.spec.nope == 1", "message": "three"}]);
    enforce(env, [policy("p", json!({"validations": validations}))]).await?;
    let answer = create(env, json!({"size": 7})).await?.refuses(403, "Forbidden")?;
    same("second", why(env, "p", &answer)?, "two")?;
    let answer = create(env, json!({"size": 1})).await?.refuses(422, "Invalid")?;
    let failed = "expression 'object.spec.nope == 1' resulted in error: no such key: nope";
    same("third", why(env, "p", &answer)?, failed)
}

async fn a_failed_expression_denies_the_write(env: &Env) -> Verdict {
    let cases = [
        ("key", "object.spec.nope == 1", "no such key: nope"),
        ("old", "oldObject.spec.size == 1", "no such key: spec"),
        ("division", "object.spec.size / 0 == 1", "division by zero"),
        ("index", "[1][object.spec.size] == 1", "index out of bounds: 7"),
        ("number", "int(object.kind) == 1", "type conversion error from 'string' to 'int'"),
    ];
    let policies = cases.map(|(name, expression, _)| own(name, json!({"validations": [{"expression": expression}]})));
    enforce(env, policies).await?;
    for (name, expression, error) in cases {
        let answer = create_for(env, name).await?.refuses(422, "Invalid")?;
        let message = format!("expression '{expression}' resulted in error: {error}");
        same(name, why(env, name, &answer)?, message.as_str())?;
    }
    Ok(())
}

async fn a_failed_expression_may_be_ignored(env: &Env) -> Verdict {
    let validations = json!([{"expression": "object.spec.nope == 1"}, {"expression": "object.spec.size < 5"}]);
    enforce(env, [policy("p", json!({"failurePolicy": "Ignore", "validations": validations}))]).await?;
    create(env, json!({"size": 1})).await?.is(201)?;
    let answer = create(env, json!({"size": 7})).await?.refuses(422, "Invalid")?;
    same("broken", why(env, "p", &answer)?, "failed expression: object.spec.size < 5")
}

async fn policy_variables_are_evaluated_when_they_are_read(env: &Env) -> Verdict {
    let variables = json!([{"name": "size", "expression": "object.spec.size"},
        {"name": "double", "expression": "variables.size * 2"}, {"name": "bad", "expression": "object.spec.nope"}]);
    let composed = |name: &str, expression: &str| {
        let validation = json!({"expression": expression, "messageExpression": "'double ' + string(variables.double)"});
        own(name, json!({"variables": variables, "validations": [validation]}))
    };
    let policies = [
        composed("read", "variables.double < 10"),
        composed("unread", "variables.double == 14 || variables.bad == 1"),
        composed("failed", "variables.bad == 1"),
        composed("tested", "has(variables.bad)"),
    ];
    enforce(env, policies).await?;
    same("read", why(env, "read", &create_for(env, "read").await?)?, "double 14")?;
    create_for(env, "unread").await?.is(201)?;
    for (name, expression) in [("failed", "variables.bad == 1"), ("tested", "has(variables.bad)")] {
        let error = "composited variable \"bad\" fails to evaluate: no such key: nope";
        let message = format!("expression '{expression}' resulted in error: {error}");
        same(name, why(env, name, &create_for(env, name).await?)?, message.as_str())?;
    }
    Ok(())
}

async fn a_match_condition_decides_about_the_policy(env: &Env) -> Verdict {
    let case = |name: &str, expressions: &[&str]| {
        let conditions = expressions.iter().enumerate();
        let conditions: Vec<Value> =
            conditions.map(|(index, text)| json!({"name": format!("c{index}"), "expression": text})).collect();
        own(name, json!({"matchConditions": conditions, "validations": [{"expression": "false", "message": "no"}]}))
    };
    let policies = [
        case("met", &["object.spec.size == 7"]),
        case("unmet", &["object.spec.size == 7", "object.spec.size == 3"]),
        case("decided", &["object.spec.nope == 7", "false"]),
        case("failed", &["object.spec.nope == 7", "object.spec.no == 7"]),
    ];
    enforce(env, policies).await?;
    same("met", why(env, "met", &create_for(env, "met").await?)?, "no")?;
    create_for(env, "unmet").await?.is(201)?;
    create_for(env, "decided").await?.is(201)?;
    let errors = "[expression 'object.spec.nope == 7' resulted in error: no such key: nope, \
                  expression 'object.spec.no == 7' resulted in error: no such key: no]";
    same("failed", why(env, "failed", &create_for(env, "failed").await?)?, errors)
}

async fn a_binding_may_warn_or_audit(env: &Env) -> Verdict {
    let broken = |name: &str, expression: &str, actions: Value| {
        own(name, json!({"validations": [{"expression": expression, "message": "no"}]}))
            .bound(json!({"validationActions": actions}))
    };
    let policies = [
        broken("warn", "false", json!(["Warn"])),
        broken("error", "object.spec.nope == 1", json!(["Warn"])),
        broken("audit", "false", json!(["Audit"])),
        broken("both", "false", json!(["Audit", "Deny"])),
    ];
    enforce(env, policies).await?;
    for (name, message) in
        [("warn", "no"), ("error", "expression 'object.spec.nope == 1' resulted in error: no such key: nope")]
    {
        let answer = create_for(env, name).await?.is(201)?;
        let full = format!("{name}.{}", env.namespace);
        let warning =
            format!("Validation failed for ValidatingAdmissionPolicy '{full}' with binding '{full}': {message}");
        same(name, warnings(&answer), [warning])?;
    }
    let audited = create_for(env, "audit").await?.is(201)?;
    same("audit", warnings(&audited).len(), 0)?;
    same("both", why(env, "both", &create_for(env, "both").await?)?, "no")
}

async fn policies_are_evaluated_before_validating_webhooks(env: &Env) -> Verdict {
    let hooks = Webhook::start().await?;
    hooks.configure(env, "Validating", "v", vec![hooks.entry("v", json!({}))]).await?;
    hooks.ready(env, "v").await?;
    let warn = own("warn", json!({"validations": [{"expression": "false", "message": "careful"}]}));
    let policies = [validating("small", "object.spec.size <= 50"), warn.bound(json!({"validationActions": ["Warn"]}))];
    enforce(env, policies).await?;
    hooks.take();
    create(env, json!({"size": 51})).await?.refuses(422, "Invalid")?;
    same("calls", hooks.take().len(), 0)?;
    hooks.reply("v", Reply::Verdict(json!({"allowed": false, "warnings": ["too"], "status": {"message": "not now"}})));
    let answer = create_for(env, "warn").await?.is(400)?;
    let found = warnings(&answer);
    let is_first = found.first().is_some_and(|warning| warning.ends_with(": careful"));
    holds(&format!("{found:?}"), is_first && found.last().is_some_and(|last| last == "too") && found.len() == 2)
}

async fn a_policy_reads_the_request_and_its_namespace(env: &Env) -> Verdict {
    let shown = "[request.operation, request.name, request.kind.kind, request.resource.resource, request.namespace, \
                 namespaceObject.metadata.name, namespaceObject.metadata.labels['rule'], namespaceObject.status.phase, \
                 object.apiVersion, string(object.metadata.name), string(request.dryRun), string(oldObject == null)]";
    let message = format!("{shown}.join(' ')").replace("object.apiVersion", "string(object.apiVersion)");
    let validation = json!({"expression": "object.metadata.name == 'probe'", "messageExpression": message});
    enforce(env, [policy("p", json!({"validations": [validation]}))]).await?;
    let answer = create(env, json!({})).await?;
    let expected =
        format!("CREATE w Widget widgets {0} {0} {0} Active conform.evenkeel.dev/v1 w true true", env.namespace);
    same("message", why(env, "p", &answer)?, expected.as_str())
}

async fn a_policy_reviews_deletions_and_subresources(env: &Env) -> Verdict {
    let rules = json!({"resourceRules": [crate::policy_server::rule("widgets/*")]});
    let message = "request.subResource + ' ' + request.operation + ' ' + request.kind.kind";
    let status = policy(
        "status",
        json!({"matchConstraints": rules, "validations": [
        {"expression": "!has(request.subResource)", "messageExpression": message}]}),
    );
    let deletion = json!([{"expression": "object != null || oldObject.spec.size < 5", "message": "too large"}]);
    enforce(env, [status, policy("deletion", json!({"validations": deletion}))]).await?;
    env.post(&env.path(""), &widget("w", json!({"size": 7}))).await?.is(201)?;
    let answer = env.merge(&env.path("/w/status"), &json!({"status": {"phase": "ready"}})).await?;
    same("status", why(env, "status", &answer)?, "status UPDATE Widget")?;
    let answer = env.merge(&env.path("/w/scale"), &json!({"spec": {"replicas": 2}})).await?;
    same("scale", why(env, "status", &answer)?, "scale UPDATE Scale")?;
    let answer = env.send("DELETE", &env.path("/w"), "", "").await?;
    same("deletion", why(env, "deletion", &answer)?, "too large")?;
    let answer = env.send("DELETE", &env.path(""), "", "").await?;
    same("collection", why(env, "deletion", &answer)?, "too large")?;
    same("name", &answer.body["details"]["name"], "Unknown")?;
    env.merge(&env.path("/w"), &json!({"spec": {"size": 1}})).await?.is(200)?;
    env.send("DELETE", &env.path("/w"), "", "").await?.is(200)?;
    Ok(())
}

async fn the_expressions_of_a_policy_have_a_cost_limit(env: &Env) -> Verdict {
    // To find a text in another costs a tenth of one length times a tenth of the other: expensive, but fast to evaluate.
    let long = "object.metadata.annotations.long";
    let one = format!("{long}.contains({long})");
    let many = vec![json!({"expression": format!("{long}.contains({long}.substring(0, 3000))")}); 60];
    let policies =
        [own("one", json!({"validations": [{"expression": one}]})), own("many", json!({"validations": many}))];
    enforce(env, policies).await?;
    let create = async |policy| {
        let mut sent = selected(policy);
        sent["metadata"]["annotations"] = json!({"long": "a".repeat(10_001)});
        create_object(env, &sent).await
    };
    let message = format!("expression '{one}' resulted in error: operation cancelled: actual cost limit exceeded");
    same("one", why(env, "one", &create("one").await?)?, message.as_str())?;
    let message = "validation failed due to running out of cost budget, no further validation rules will be run";
    same("many", why(env, "many", &create("many").await?)?, message)
}
