//! RBAC: the permissions that roles grant, and the messages of denied requests.

use serde_json::{Value, json};

use crate::check::{Broken, Verdict, eventually, same};
use crate::env::{Env, text};
use crate::rule::rules;

rules!(
    a_user_without_a_role_is_forbidden,
    a_role_grants_its_rules_in_its_namespace,
    a_cluster_role_is_bound_per_namespace_or_everywhere,
    groups_and_service_accounts_get_bound_roles,
    a_rule_with_resource_names_is_restricted,
    a_subresource_needs_a_separate_rule,
    an_apply_that_creates_needs_the_create_verb,
    an_aggregated_role_has_the_selected_rules,
    non_resource_paths_need_separate_rules,
    reviews_return_the_permissions_of_a_user,
    a_user_may_review_own_permissions,
    a_user_cannot_grant_missing_permissions,
    bind_and_escalate_allow_granting_more,
);

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1";

/// Users, groups and service accounts that are unique to this rule.
impl Env {
    fn someone(&self) -> String {
        format!("someone-{}", self.namespace)
    }

    fn user(&self) -> Value {
        json!({"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": self.someone()})
    }

    /// Creates a role and binds it, both in the namespace of the rule.
    async fn bound(&self, name: &str, rules: Value, subject: &Value) -> Verdict {
        let path = format!("{RBAC}/namespaces/{}", self.namespace);
        let role = json!({"metadata": {"name": name}, "rules": rules});
        self.post(&format!("{path}/roles"), &role).await?.is(201)?;
        self.post(&format!("{path}/rolebindings"), &binding(name, "Role", name, subject)).await?.is(201)?;
        Ok(())
    }

    /// Waits until the server has loaded the role and returns this code.
    async fn answers(&self, user: &str, method: &str, path: &str, code: u16) -> Result<Value, Broken> {
        eventually(&format!("{user} {method} {path} is {code}"), || async {
            let answer = self.as_user(user, method, path, "").await?;
            Ok((answer.status == code).then_some(answer.body))
        })
        .await
    }
}

fn binding(name: &str, kind: &str, role: &str, subject: &Value) -> Value {
    let reference = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role});
    json!({"metadata": {"name": name}, "roleRef": reference, "subjects": [subject]})
}

fn rule(verbs: &[&str], group: &str, resources: &[&str]) -> Value {
    json!({"verbs": verbs, "apiGroups": [group], "resources": resources})
}

async fn a_user_without_a_role_is_forbidden(env: &Env) -> Verdict {
    let (user, space) = (env.someone(), &env.namespace);
    let cases = [
        (
            "GET",
            env.core("configmaps/a"),
            format!(
                r#"configmaps "a" is forbidden: User "{user}" cannot get resource "configmaps" in API group "" in the namespace "{space}""#
            ),
        ),
        (
            "GET",
            env.core("configmaps"),
            format!(
                r#"configmaps is forbidden: User "{user}" cannot list resource "configmaps" in API group "" in the namespace "{space}""#
            ),
        ),
        (
            "GET",
            env.core("configmaps?watch=true"),
            format!(
                r#"configmaps is forbidden: User "{user}" cannot watch resource "configmaps" in API group "" in the namespace "{space}""#
            ),
        ),
        (
            "DELETE",
            env.core("configmaps"),
            format!(
                r#"configmaps is forbidden: User "{user}" cannot deletecollection resource "configmaps" in API group "" in the namespace "{space}""#
            ),
        ),
        (
            "GET",
            "/api/v1/configmaps".to_owned(),
            format!(
                r#"configmaps is forbidden: User "{user}" cannot list resource "configmaps" in API group "" at the cluster scope"#
            ),
        ),
        (
            "GET",
            format!("/api/v1/namespaces/{space}"),
            format!(
                r#"namespaces "{space}" is forbidden: User "{user}" cannot get resource "namespaces" in API group "" in the namespace "{space}""#
            ),
        ),
        (
            "GET",
            env.path("/a/status"),
            format!(
                r#"widgets.conform.evenkeel.dev "a" is forbidden: User "{user}" cannot get resource "widgets/status" in API group "conform.evenkeel.dev" in the namespace "{space}""#
            ),
        ),
    ];
    for (method, path, message) in cases {
        let answer = env.as_user(&user, method, &path, "").await?.refuses(403, "Forbidden")?;
        same(&path, text(&answer.body["message"]), message.as_str())?;
    }
    Ok(())
}

async fn a_role_grants_its_rules_in_its_namespace(env: &Env) -> Verdict {
    env.bound("r", json!([rule(&["get", "list"], "", &["configmaps"])]), &env.user()).await?;
    env.answers(&env.someone(), "GET", &env.core("configmaps"), 200).await?;
    env.as_user(&env.someone(), "GET", &env.core("configmaps/absent"), "").await?.refuses(404, "NotFound")?;
    env.as_user(&env.someone(), "DELETE", &env.core("configmaps/absent"), "").await?.refuses(403, "Forbidden")?;
    env.as_user(&env.someone(), "GET", &env.core("secrets"), "").await?.refuses(403, "Forbidden")?;
    env.as_user(&env.someone(), "GET", "/api/v1/namespaces/default/configmaps", "")
        .await?
        .refuses(403, "Forbidden")
        .map(|_| ())
}

async fn a_cluster_role_is_bound_per_namespace_or_everywhere(env: &Env) -> Verdict {
    let name = env.someone();
    let role = json!({"metadata": {"name": name}, "rules": [rule(&["list"], "", &["configmaps"])]});
    env.post(&format!("{RBAC}/clusterroles"), &role).await?.is(201)?;
    let inside = format!("{RBAC}/namespaces/{}/rolebindings", env.namespace);
    env.post(&inside, &binding("b", "ClusterRole", &name, &env.user())).await?.is(201)?;
    env.answers(&name, "GET", &env.core("configmaps"), 200).await?;
    env.as_user(&name, "GET", "/api/v1/configmaps", "").await?.refuses(403, "Forbidden")?;
    env.post(&format!("{RBAC}/clusterrolebindings"), &binding(&name, "ClusterRole", &name, &env.user()))
        .await?
        .is(201)?;
    env.answers(&name, "GET", "/api/v1/configmaps", 200).await?;
    env.send("DELETE", &format!("{RBAC}/clusterrolebindings/{name}"), "", "").await?.is(200)?;
    env.answers(&name, "GET", "/api/v1/configmaps", 403).await?;
    env.send("DELETE", &format!("{RBAC}/clusterroles/{name}"), "", "").await?.is(200)?;
    env.answers(&name, "GET", &env.core("configmaps"), 403).await.map(|_| ())
}

async fn groups_and_service_accounts_get_bound_roles(env: &Env) -> Verdict {
    let account = json!({"kind": "ServiceAccount", "name": "robot", "namespace": env.namespace});
    env.bound("account", json!([rule(&["list"], "", &["configmaps"])]), &account).await?;
    let name = format!("system:serviceaccounts:{}", env.namespace);
    let group = json!({"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": name});
    env.bound("group", json!([rule(&["list"], "", &["secrets"])]), &group).await?;
    let robot = format!("system:serviceaccount:{}:robot", env.namespace);
    env.answers(&robot, "GET", &env.core("configmaps"), 200).await?;
    env.answers(&robot, "GET", &env.core("secrets"), 200).await?;
    let other = format!("system:serviceaccount:{}:other", env.namespace);
    env.answers(&other, "GET", &env.core("secrets"), 200).await?;
    env.as_user(&other, "GET", &env.core("configmaps"), "").await?.refuses(403, "Forbidden").map(|_| ())
}

async fn a_rule_with_resource_names_is_restricted(env: &Env) -> Verdict {
    let mut named = rule(&["get", "list", "create"], "", &["configmaps"]);
    named["resourceNames"] = json!(["a"]);
    env.bound("r", json!([named]), &env.user()).await?;
    let user = env.someone();
    env.answers(&user, "GET", &env.core("configmaps/a"), 404).await?;
    env.as_user(&user, "GET", &env.core("configmaps/b"), "").await?.refuses(403, "Forbidden")?;
    env.as_user(&user, "GET", &env.core("configmaps"), "").await?.refuses(403, "Forbidden")?;
    env.as_user(&user, "GET", &env.core("configmaps?fieldSelector=metadata.name%3Da"), "").await?.is(200)?;
    let map = json!({"metadata": {"name": "a"}}).to_string();
    env.as_user(&user, "POST", &env.core("configmaps"), &map).await?.refuses(403, "Forbidden").map(|_| ())
}

async fn a_subresource_needs_a_separate_rule(env: &Env) -> Verdict {
    env.widget("w", json!({"size": 1})).await?;
    env.bound("r", json!([rule(&["get"], "conform.evenkeel.dev", &["widgets"])]), &env.user()).await?;
    let user = env.someone();
    env.answers(&user, "GET", &env.path("/w"), 200).await?;
    env.as_user(&user, "GET", &env.path("/w/status"), "").await?.refuses(403, "Forbidden")?;
    env.bound("s", json!([rule(&["get"], "conform.evenkeel.dev", &["*/status"])]), &env.user()).await?;
    env.answers(&user, "GET", &env.path("/w/status"), 200).await.map(|_| ())
}

async fn an_apply_that_creates_needs_the_create_verb(env: &Env) -> Verdict {
    env.bound("r", json!([rule(&["get", "patch"], "", &["configmaps"])]), &env.user()).await?;
    let (user, path) = (env.someone(), env.core("configmaps/a?fieldManager=m"));
    env.answers(&user, "GET", &env.core("configmaps/a"), 404).await?;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}).to_string();
    let media = "application/apply-patch+yaml";
    let answer = env.as_user_with(&user, "PATCH", &path, media, &map).await?.refuses(403, "Forbidden")?;
    same("message", text(&answer.body["message"]), r#"configmaps "a" is forbidden: "#)?;
    env.post(&env.core("configmaps"), &json!({"metadata": {"name": "a"}})).await?.is(201)?;
    env.as_user_with(&user, "PATCH", &path, media, &map).await?.is(200).map(|_| ())
}

async fn an_aggregated_role_has_the_selected_rules(env: &Env) -> Verdict {
    let (whole, part) = (format!("whole-{}", env.namespace), format!("part-{}", env.namespace));
    let selector = json!({"clusterRoleSelectors": [{"matchLabels": {"part-of": whole}}]});
    env.post(
        &format!("{RBAC}/clusterroles"),
        &json!({"metadata": {"name": whole}, "aggregationRule": selector, "rules": []}),
    )
    .await?
    .is(201)?;
    let rules = json!([rule(&["list"], "", &["configmaps"])]);
    let role = json!({"metadata": {"name": part, "labels": {"part-of": whole}}, "rules": rules});
    env.post(&format!("{RBAC}/clusterroles"), &role).await?.is(201)?;
    eventually("the rules are taken over", || async {
        let role = env.get(&format!("{RBAC}/clusterroles/{whole}")).await?.body;
        Ok((role["rules"] == rules).then_some(()))
    })
    .await?;
    let inside = format!("{RBAC}/namespaces/{}/rolebindings", env.namespace);
    env.post(&inside, &binding("b", "ClusterRole", &whole, &env.user())).await?.is(201)?;
    env.answers(&env.someone(), "GET", &env.core("configmaps"), 200).await?;
    for name in [whole, part] {
        env.send("DELETE", &format!("{RBAC}/clusterroles/{name}"), "", "").await?.is(200)?;
    }
    Ok(())
}

async fn non_resource_paths_need_separate_rules(env: &Env) -> Verdict {
    env.as_user(&env.someone(), "GET", "/version", "").await?.is(200)?;
    env.as_user(&env.someone(), "GET", "/apis", "").await?.is(200)?;
    let answer = env.as_user(&env.someone(), "GET", "/bogus", "").await?.refuses(403, "Forbidden")?;
    same(
        "message",
        text(&answer.body["message"]),
        format!(r#"forbidden: User "{}" cannot get path "/bogus""#, env.someone()).as_str(),
    )
}

async fn reviews_return_the_permissions_of_a_user(env: &Env) -> Verdict {
    env.bound("r", json!([rule(&["get"], "", &["configmaps"])]), &env.user()).await?;
    env.answers(&env.someone(), "GET", &env.core("configmaps/a"), 404).await?;
    let review = |verb: &str| {
        let about = json!({"namespace": env.namespace, "verb": verb, "resource": "configmaps"});
        json!({"spec": {"user": env.someone(), "resourceAttributes": about}})
    };
    let answer = env.post(&format!("{REVIEWS}/subjectaccessreviews"), &review("get")).await?.is(201)?;
    let reason =
        format!(r#"RBAC: allowed by RoleBinding "r/{}" of Role "r" to User "{}""#, env.namespace, env.someone());
    same("status", &answer.body["status"], &json!({"allowed": true, "reason": reason}))?;
    let answer = env.post(&format!("{REVIEWS}/subjectaccessreviews"), &review("list")).await?.is(201)?;
    same("status", &answer.body["status"], &json!({"allowed": false}))?;
    let nothing = json!({"spec": {"user": "x"}});
    env.post(&format!("{REVIEWS}/subjectaccessreviews"), &nothing).await?.refuses(422, "Invalid").map(|_| ())
}

async fn a_user_may_review_own_permissions(env: &Env) -> Verdict {
    env.bound("r", json!([rule(&["get"], "", &["configmaps"])]), &env.user()).await?;
    let user = env.someone();
    env.answers(&user, "GET", &env.core("configmaps/a"), 404).await?;
    let about = json!({"namespace": env.namespace, "verb": "get", "resource": "configmaps"});
    let review = json!({"spec": {"resourceAttributes": about}}).to_string();
    let answer = env.as_user(&user, "POST", &format!("{REVIEWS}/selfsubjectaccessreviews"), &review).await?.is(201)?;
    same("allowed", &answer.body["status"]["allowed"], true)?;
    let rules = json!({"spec": {"namespace": env.namespace}}).to_string();
    let answer = env.as_user(&user, "POST", &format!("{REVIEWS}/selfsubjectrulesreviews"), &rules).await?.is(201)?;
    let rules = answer.body["status"]["resourceRules"].as_array().cloned().unwrap_or_default();
    same("its rule", rules.contains(&rule(&["get"], "", &["configmaps"])), true)
}

/// A user who may write roles and bindings, and get config maps; returns the user and the path of the RBAC resources.
async fn a_writer_of_roles(env: &Env, more: Value) -> Result<(String, String), Broken> {
    let verbs = ["get", "create", "update", "patch"];
    let roles = rule(&verbs, "rbac.authorization.k8s.io", &["roles", "rolebindings"]);
    let mut rules = json!([roles, rule(&["get"], "", &["configmaps"])]);
    rules.as_array_mut().into_iter().for_each(|rules| rules.extend(more.as_array().cloned().unwrap_or_default()));
    env.bound("writer", rules, &env.user()).await?;
    let path = format!("{RBAC}/namespaces/{}", env.namespace);
    env.answers(&env.someone(), "GET", &format!("{path}/roles/absent"), 404).await?;
    Ok((env.someone(), path))
}

async fn a_user_cannot_grant_missing_permissions(env: &Env) -> Verdict {
    let (user, path) = a_writer_of_roles(env, json!([])).await?;
    let role = |name: &str, rules: Value| json!({"metadata": {"name": name}, "rules": rules}).to_string();
    let (roles, bindings) = (format!("{path}/roles"), format!("{path}/rolebindings"));
    let mine = json!([rule(&["get"], "", &["configmaps"])]);
    env.as_user(&user, "POST", &roles, &role("mine", mine)).await?.is(201)?;
    let more = json!([rule(&["get", "list"], "", &["configmaps", "secrets"])]);
    let answer = env.as_user(&user, "POST", &roles, &role("more", more.clone())).await?.refuses(403, "Forbidden")?;
    let lines = [
        format!(
            r#"roles.rbac.authorization.k8s.io "more" is forbidden: user "{user}" (groups=["system:authenticated"])"#
        ),
        " is attempting to grant RBAC permissions not currently held:\n".to_owned(),
        "{APIGroups:[\"\"], Resources:[\"configmaps\"], Verbs:[\"list\"]}\n".to_owned(),
        "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}".to_owned(),
    ];
    same("message", text(&answer.body["message"]), lines.concat().as_str())?;
    let merge = "application/merge-patch+json";
    let patch = json!({"rules": more}).to_string();
    env.as_user_with(&user, "PATCH", &format!("{roles}/mine"), merge, &patch).await?.refuses(403, "Forbidden")?;
    env.post(&roles, &json!({"metadata": {"name": "more"}, "rules": more})).await?.is(201)?;
    let label = r#"{"metadata":{"labels":{"a":"b"}}}"#;
    env.as_user_with(&user, "PATCH", &format!("{roles}/more"), merge, label).await?.refuses(403, "Forbidden")?;
    let finalizer = r#"{"metadata":{"finalizers":[]}}"#;
    env.as_user_with(&user, "PATCH", &format!("{roles}/more"), merge, finalizer).await?.is(200)?;
    let bind = |role: &str| binding(role, "Role", role, &env.user()).to_string();
    env.as_user(&user, "POST", &bindings, &bind("mine")).await?.is(201)?;
    env.as_user(&user, "POST", &bindings, &bind("more")).await?.refuses(403, "Forbidden")?;
    env.as_user(&user, "POST", &bindings, &bind("absent")).await?.refuses(404, "NotFound").map(|_| ())
}

async fn bind_and_escalate_allow_granting_more(env: &Env) -> Verdict {
    let mut right = rule(&["bind", "escalate"], "rbac.authorization.k8s.io", &["roles"]);
    right["resourceNames"] = json!(["more", "absent"]);
    let (user, path) = a_writer_of_roles(env, json!([right])).await?;
    let (roles, bindings) = (format!("{path}/roles"), format!("{path}/rolebindings"));
    let role = json!({"metadata": {"name": "more"}, "rules": [rule(&["get"], "", &["secrets"])]});
    env.post(&roles, &role).await?.is(201)?;
    let bind = |role: &str| binding(role, "Role", role, &env.user()).to_string();
    env.as_user(&user, "POST", &bindings, &bind("more")).await?.is(201)?;
    env.as_user(&user, "POST", &bindings, &bind("absent")).await?.is(201)?;
    // The path of a create contains no name, so a rule with resourceNames does not allow it.
    let other = json!({"metadata": {"name": "absent"}, "rules": [rule(&["get"], "", &["pods"])]}).to_string();
    env.as_user(&user, "POST", &roles, &other).await?.refuses(403, "Forbidden")?;
    let patch = json!({"rules": [rule(&["get"], "", &["pods"])]}).to_string();
    let merge = "application/merge-patch+json";
    env.as_user_with(&user, "PATCH", &format!("{roles}/more"), merge, &patch).await?.is(200).map(|_| ())
}
