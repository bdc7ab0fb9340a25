//! Committed output, and what is common to the output of all examples.

use std::collections::BTreeSet;
use std::fs;

use evenkeel_testkit::assert_generated;
use serde_json::Value;

use crate::printed::{Example, documents, find, id, reference};

const IMAGE: &str = "registry.example/hello:1.0.0";
const OPTIONAL: &str = "flow-control,network,monitoring,alerts";

#[test]
fn the_reference_of_hello_matches_its_command_line() {
    let common = ["--image", IMAGE, "--namespace", "hello"];
    let printed = |more: &[&str]| Example::Hello.printed(&[&common, more].concat());
    assert_generated(reference("hello", "install.yaml"), &printed(&[]));
    assert_generated(reference("hello", "optional.yaml"), &printed(&["--only", OPTIONAL]));
    assert_generated(reference("hello", "alerts.yaml"), &Example::Hello.command("alerts", &[]));
    assert_generated(reference("hello", "dashboard.json"), &Example::Hello.command("dashboard", &[]));
}

#[test]
fn two_operators_share_a_namespace() {
    let common = ["--image", IMAGE, "--namespace", "shared", "--replicas", "2"];
    let hello = Example::Hello.printed(&common);
    let app = Example::App.printed(&[&common[..], &["--no-namespace"]].concat());
    assert_generated(reference("two_operators", "install.yaml"), &(hello.clone() + &app));
    let (hello, app): (Vec<_>, Vec<_>) = (documents(&hello), documents(&app));
    let ids = |objects: &[Value]| objects.iter().map(id).collect::<BTreeSet<_>>();
    assert_eq!(ids(&hello).intersection(&ids(&app)).collect::<Vec<_>>(), Vec::<&_>::new());
    for (objects, operator) in [(&hello, "greeter"), (&app, "app")] {
        for object in objects {
            let (_, kind, _, name) = id(object);
            // A CRD and a policy are named after the kind that they describe.
            let of_kind =
                ["CustomResourceDefinition", "Namespace"].contains(&&*kind) || kind.contains("AdmissionPolicy");
            assert!(of_kind || name == operator || name.starts_with(&format!("{operator}-")), "{kind} {name}");
        }
    }
    let selected = |objects: &[Value]| find(objects, "Service", "-metrics")["spec"]["selector"].clone();
    assert_ne!(selected(&hello), selected(&app));
}

#[test]
fn each_object_has_the_common_labels() {
    for example in Example::ALL {
        for object in example.all_objects() {
            let labels = &object["metadata"]["labels"];
            assert_eq!(labels["app.kubernetes.io/name"], example.operator(), "{object}");
            assert_eq!(labels["app.kubernetes.io/managed-by"], "evenkeel", "{object}");
        }
    }
}

#[test]
fn the_output_is_the_same_each_time_and_fits_on_the_line() {
    for example in Example::ALL {
        let args = ["--image", IMAGE, "--replicas", "3"];
        assert_eq!(example.printed(&args), example.printed(&args), "{example:?}");
    }
}

#[test]
fn no_reference_grants_what_would_grant_everything() {
    let folder = reference("", "");
    let mut files = 0;
    for example in fs::read_dir(folder).unwrap() {
        let install = example.unwrap().path().join("install.yaml");
        let text = fs::read_to_string(&install).unwrap_or_else(|error| panic!("{}: {error}", install.display()));
        files += 1;
        for object in documents(&text) {
            for rule in object["rules"].as_array().into_iter().flatten() {
                let words =
                    ["verbs", "resources", "apiGroups"].into_iter().flat_map(|field| rule[field].as_array().unwrap());
                for word in words.map(|word| word.as_str().unwrap()) {
                    assert!(!["escalate", "bind", "impersonate", "*"].contains(&word), "{}: {rule}", install.display());
                }
            }
        }
    }
    assert!(files > 5, "{files} examples have a reference");
}

#[test]
fn what_a_cluster_may_lack_is_never_in_the_installation() {
    let kinds = |objects: Vec<Value>| objects.iter().map(|object| id(object).1).collect::<BTreeSet<_>>();
    for example in Example::ALL {
        let install = kinds(example.objects(&["--replicas", "2"]));
        for kind in ["FlowSchema", "NetworkPolicy", "ServiceMonitor", "PrometheusRule", "ConfigMap"] {
            assert!(!install.contains(kind), "{example:?}: {kind}");
        }
    }
    let optional = kinds(Example::Hello.objects(&["--replicas", "2", "--only", OPTIONAL]));
    let expected = ["FlowSchema", "NetworkPolicy", "ServiceMonitor", "PrometheusRule"];
    assert_eq!(optional, expected.map(ToOwned::to_owned).into());
}

#[test]
fn the_order_is_that_in_which_objects_are_applied() {
    let kinds: Vec<String> =
        Example::App.objects(&["--certs", "cert-manager"]).iter().map(|object| id(object).1).collect();
    let place =
        |kind: &str| kinds.iter().position(|other| other == kind).unwrap_or_else(|| panic!("{kind} in {kinds:?}"));
    let order = [
        "Namespace",
        "CustomResourceDefinition",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
        "Certificate",
        "Service",
        "Deployment",
        "ValidatingAdmissionPolicy",
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ];
    assert!(order.map(place).is_sorted(), "{kinds:?}");
}
