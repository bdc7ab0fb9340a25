//! The flags of `manifests`, and the messages about wrong ones.

use serde_json::{Value, json};

use crate::printed::{Example, find, id};

const IMAGE: [&str; 2] = ["--image", "registry.example/operator:1.0.0"];

fn refused(args: &[&str]) -> String {
    Example::Hello.refused(&[&IMAGE, args].concat())
}

fn pod(objects: &[Value]) -> Value {
    find(objects, "Deployment", "")["spec"]["template"]["spec"].clone()
}

fn arguments(example: Example, args: &[&str]) -> Vec<String> {
    let arguments = pod(&example.objects(args))["containers"][0]["args"].clone();
    serde_json::from_value(arguments).unwrap()
}

#[test]
fn a_wrong_value_is_refused_with_a_better_one() {
    let cases: [(&[&str], &str, &str); 9] = [
        (&["-n", "A_b"], "cannot be the name of a namespace", "such as `greeter`"),
        (&["-n", ""], "cannot be the name of a namespace", "such as `greeter`"),
        (&["--watch-namespace", "a,B"], "`B` cannot be the name of a namespace", "such as `greeter`"),
        (&["--replicas", "0"], "--replicas", "write 1 or more"),
        (&["--replicas", "4294967295"], "--replicas", "write 1 or more"),
        (&["--objects", "many"], "--objects", "invalid digit"),
        (&["--listen", "8080"], "cannot be reached at 127.0.0.1:8080", "`--listen 0.0.0.0:8080`"),
        (&["--only", "role"], "--only", "rbac"),
        (&["--kubeconfig", "x"], "`--kubeconfig` has no effect in a pod", "leave it out"),
    ];
    for (args, headline, help) in cases {
        let text = refused(args);
        assert!(text.contains(headline) && text.contains(help), "{args:?}: {text}");
    }
    let text = Example::Hello.refused(&["--image", "Greeter"]);
    assert!(text.contains("`Greeter` is no image") && text.contains("ghcr.io/example/greeter:1.2.0"), "{text}");
    let text = Example::Hello.refused(&["--output", "helm"]);
    assert!(text.contains("--out <FOLDER>"), "{text}");
}

#[test]
fn a_deployment_needs_an_image_and_other_parts_do_not() {
    assert!(Example::Hello.refused(&[]).contains("add `--image`"));
    assert!(Example::Hello.refused(&["--only", "crds,workload"]).contains("add `--image`"));
    assert!(Example::Hello.printed(&["--only", "rbac"]).contains("kind: ClusterRoleBinding"));
    assert!(Example::Hello.printed(&["--only", "webhooks"]).starts_with("# this operator has no such objects"));
}

#[test]
fn the_namespace_is_that_of_the_operator_unless_it_is_given() {
    for (args, namespace) in [(&[][..], "greeter"), (&["-n", "a"], "a"), (&["--namespace=a"], "a")] {
        let objects = Example::Hello.objects(args);
        assert_eq!(find(&objects, "Namespace", "")["metadata"]["name"], namespace);
        assert_eq!(find(&objects, "Deployment", "greeter")["metadata"]["namespace"], namespace);
        assert_eq!(find(&objects, "ClusterRoleBinding", "greeter")["subjects"][0]["namespace"], namespace);
    }
    let objects = Example::Hello.objects(&["--no-namespace"]);
    assert!(objects.iter().all(|object| object["kind"] != "Namespace"));
}

#[test]
fn an_operator_of_two_namespaces_has_a_role_in_each() {
    let args = ["--watch-namespace", "a,b"];
    let objects = Example::Hello.objects(&args);
    let roles = objects.iter().filter(|object| object["kind"] == "Role").map(id);
    let places: Vec<String> = roles.map(|(_, _, namespace, _)| namespace).collect();
    assert_eq!(places, ["a", "b"]);
    let wide = &find(&objects, "ClusterRole", "greeter")["rules"];
    assert_eq!(wide.as_array().unwrap().len(), 1, "only the CRD is in no namespace: {wide}");
    assert!(arguments(Example::Hello, &args).contains(&"--namespace=a,b".to_owned()));
}

#[test]
fn flags_of_run_are_those_of_the_pod() {
    let flags = ["--concurrency", "4", "--log-format=json", "--no-cross-namespace-refs", "--listen", "0.0.0.0:9090"];
    let expected =
        ["run", "--listen=0.0.0.0:9090", "--concurrency=4", "--no-cross-namespace-refs", "--log-format=json"];
    assert_eq!(arguments(Example::Hello, &flags), expected);
    let objects = Example::Hello.objects(&flags);
    assert_eq!(pod(&objects)["containers"][0]["ports"][0]["containerPort"], 9090);
    assert_eq!(find(&objects, "Service", "-metrics")["spec"]["ports"][0]["port"], 9090);
}

#[test]
fn a_pod_may_stop_its_passes_and_its_webhook_server() {
    let grace = |example: Example, args: &[&str]| pod(&example.objects(args))["terminationGracePeriodSeconds"].clone();
    assert_eq!(grace(Example::Hello, &[]), 35);
    assert_eq!(grace(Example::Hello, &["--shutdown-timeout", "90s"]), 100);
    assert_eq!(grace(Example::Hello, &["--shutdown-timeout", "1s"]), 11);
    assert_eq!(grace(Example::App, &["--shutdown-timeout", "1s"]), 25, "the server answers for 15 seconds more");
}

#[test]
fn memory_follows_the_number_of_objects() {
    let memory = |args: &[&str]| pod(&Example::Hello.objects(args))["containers"][0]["resources"].clone();
    assert_eq!(memory(&[]), json!({ "requests": { "cpu": "100m", "memory": "46Mi" }, "limits": { "memory": "92Mi" } }));
    assert_eq!(memory(&["--objects", "100000"])["requests"]["memory"], "802Mi");
}

#[test]
fn replicas_come_with_a_lease_a_budget_and_other_nodes() {
    let kinds = |objects: &[Value]| objects.iter().map(|object| id(object).1).collect::<Vec<_>>();
    let one = Example::Hello.objects(&[]);
    assert!(!kinds(&one).contains(&"PodDisruptionBudget".to_owned()) && !kinds(&one).contains(&"Role".to_owned()));
    assert!(pod(&one)["topologySpreadConstraints"].is_null());
    let two = Example::Hello.objects(&["--replicas", "2", "-l", "team=a"]);
    assert_eq!(find(&two, "Deployment", "")["spec"]["replicas"], 2);
    assert_eq!(find(&two, "PodDisruptionBudget", "")["spec"]["unhealthyPodEvictionPolicy"], "AlwaysAllow");
    assert_eq!(pod(&two)["topologySpreadConstraints"][0]["whenUnsatisfiable"], "ScheduleAnyway");
    let lease = &find(&two, "Role", "-leader-election")["rules"];
    assert_eq!((&lease[0]["verbs"], &lease[0]["resourceNames"]), (&json!(["create"]), &Value::Null));
    assert_eq!(lease[1]["resourceNames"], json!([evenkeel::operator::leader_id("greeter", &["team=a"])]));
    // The operators of other label selectors have roles of their own.
    let role = format!("{}-leader-election", evenkeel::operator::leader_id("greeter", &["team=a"]));
    assert_eq!(find(&two, "RoleBinding", "-leader-election")["roleRef"]["name"], role);
    let scaled_later = Example::Hello.objects(&["--lease"]);
    assert_eq!(find(&scaled_later, "Deployment", "")["spec"]["replicas"], 1);
    assert_eq!(
        find(&scaled_later, "Role", "-leader-election")["rules"],
        find(&Example::Hello.objects(&["--replicas", "2"]), "Role", "-leader-election")["rules"]
    );
}

#[test]
fn an_operator_that_must_answer_has_two_replicas() {
    assert_eq!(find(&Example::App.objects(&[]), "Deployment", "")["spec"]["replicas"], 2);
    assert_eq!(find(&Example::App.objects(&["--replicas", "1"]), "Deployment", "")["spec"]["replicas"], 1);
    assert_eq!(find(&Example::Component.objects(&[]), "Deployment", "")["spec"]["replicas"], 1);
}

#[test]
fn the_certificate_is_made_by_the_operator_or_by_cert_manager() {
    let own = Example::App.objects(&[]);
    assert!(own.iter().all(|object| object["kind"] != "Certificate" && object["metadata"]["annotations"].is_null()));
    assert_eq!(find(&own, "Role", "-webhooks")["metadata"]["namespace"], "app");
    assert!(pod(&own)["volumes"].is_null());
    let issued = Example::App.objects(&["--certs", "cert-manager"]);
    assert!(issued.iter().all(|object| !id(object).3.ends_with("-webhooks") || !id(object).1.contains("Role")));
    let certificate = find(&issued, "Certificate", "app-webhooks");
    assert_eq!(certificate["spec"]["dnsNames"][2], "app-webhooks.app.svc");
    assert_eq!(find(&issued, "Issuer", "app-webhooks")["spec"], json!({ "selfSigned": {} }));
    let injected = [
        find(&issued, "ValidatingWebhookConfiguration", "app"),
        find(&issued, "MutatingWebhookConfiguration", "app"),
        find(&issued, "CustomResourceDefinition", "sites.app.evenkeel.dev"),
    ];
    for object in injected {
        assert_eq!(object["metadata"]["annotations"], json!({ "cert-manager.io/inject-ca-from": "app/app-webhooks" }));
    }
    assert!(find(&issued, "CustomResourceDefinition", "teams.app.evenkeel.dev")["metadata"]["annotations"].is_null());
    let pod = pod(&issued);
    assert_eq!(pod["volumes"][0]["secret"]["secretName"], certificate["spec"]["secretName"]);
    let folder = pod["containers"][0]["volumeMounts"][0]["mountPath"].as_str().unwrap();
    assert!(arguments(Example::App, &["--certs", "cert-manager"]).contains(&format!("--webhook-certs={folder}")));
}

#[test]
fn egress_is_open_only_for_steps_outside_of_the_cluster() {
    let policy = |example: Example| example.objects(&["--only", "network"]).remove(0)["spec"]["egress"].clone();
    assert_eq!(policy(Example::App), json!([{}]));
    let ports = policy(Example::Hello);
    let numbers: Vec<&Value> =
        ports.as_array().unwrap().iter().flat_map(|rule| rule["ports"].as_array().unwrap()).collect();
    assert_eq!(numbers.iter().map(|port| port["port"].as_u64().unwrap()).collect::<Vec<_>>(), [53, 53, 443, 6443]);
    assert!(Example::Hello.printed(&["--only", "network"]).starts_with("---\n# Pods may read the metrics"));
}

#[test]
fn uninstall_prints_commands_and_runs_none() {
    let text = Example::App.printed(&["--uninstall"]);
    let commands: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(commands.iter().all(|command| command.starts_with("kubectl ")), "{text}");
    let place = |part: &str| {
        commands.iter().position(|command| command.contains(part)).unwrap_or_else(|| panic!("{part} in {text}"))
    };
    let order = [
        "webhookconfiguration",
        "delete sites.app",
        "patch crd sites.app",
        "deployment.apps app",
        "customresourcedefinition",
        "delete namespace app",
    ];
    assert!(order.map(place).is_sorted(), "{text}");
}

#[test]
fn users_of_the_cluster_may_read_and_edit_the_kinds() {
    let objects = Example::Hello.objects(&[]);
    let role = |ending: &str| find(&objects, "ClusterRole", ending).clone();
    let aggregates = |role: &Value| {
        let labels = role["metadata"]["labels"].as_object().unwrap();
        labels
            .keys()
            .filter_map(|key| key.strip_prefix("rbac.authorization.k8s.io/aggregate-to-"))
            .map(ToOwned::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(aggregates(&role("greeter-greetings-view")), ["admin", "edit", "view"]);
    assert_eq!(aggregates(&role("greeter-greetings-edit")), ["admin", "edit"]);
}

#[test]
fn namespaces_and_replicas_of_the_configuration_file_are_those_of_the_objects() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.yaml");
    let config = format!("--config={}", file.display());
    let given = |text: &str, args: &[&str]| {
        std::fs::write(&file, text).unwrap();
        Example::Hello.objects(&[&[config.as_str()], args].concat())
    };
    let roles = |objects: &[Value]| {
        let roles = objects.iter().filter(|object| object["kind"] == "Role" && object["metadata"]["name"] == "greeter");
        roles.map(|role| role["metadata"]["namespace"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let has_lease =
        |objects: &[Value]| objects.iter().any(|object| object["metadata"]["name"] == "greeter-leader-election");
    let objects = given("namespace: [team-a, team-b]\nreplicas: true\n", &[]);
    assert_eq!(roles(&objects), ["team-a", "team-b"]);
    assert!(has_lease(&objects), "{objects:?}");
    let objects = given("concurrency: 2\n", &[]);
    assert!(roles(&objects).is_empty() && !has_lease(&objects), "{objects:?}");
    // A flag wins over the file.
    let objects = given("namespace: [team-a]\n", &["--watch-namespace", "team-c"]);
    assert_eq!(roles(&objects), ["team-c"]);
}
