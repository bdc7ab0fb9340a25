//! Compares validation with recordings of an API server; `recorded.json` has pairs of a spec and its causes.

use serde_json::{Value, json};

use super::super::{Structural, default, fixture};
use super::validate;

fn recorded() -> Value {
    serde_json::from_str(include_str!("recorded.json")).unwrap()
}

/// The causes as sorted rows, since a server iterates over its maps in random order.
fn rows(spec: &Value, schema: &Structural) -> Vec<Value> {
    let mut obj = json!({"spec": spec});
    default(&mut obj, schema);
    let causes = validate(&obj, None, schema);
    sorted(causes.into_iter().map(|cause| json!([cause.reason, cause.field, cause.message])).collect())
}

fn sorted(mut rows: Vec<Value>) -> Vec<Value> {
    rows.sort_by_key(ToString::to_string);
    rows
}

#[test]
fn values_are_refused_with_the_recorded_causes() {
    let recorded = recorded();
    let schema = Structural::parse(&recorded["schema"]).unwrap();
    let mut wrong = Vec::new();
    for row in recorded["rows"].as_array().unwrap() {
        let (expected, got) = (sorted(row[1].as_array().unwrap().clone()), rows(&row[0], &schema));
        if expected != got {
            wrong.push(format!("{}\n  expected {}\n  got      {}", row[0], json!(expected), json!(got)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_unchanged_part_is_not_validated_again() {
    let schema = Structural::parse(&recorded()["schema"]).unwrap();
    let old = json!({"metadata": {}, "spec": {"req": {"a": "1"}, "li": [{"n": "abc"}], "lm": [{"k": "x", "p": 5}], "b": true}});
    let fields = |new: &Value| -> Vec<String> {
        validate(new, Some(&old), &schema).into_iter().map(|cause| cause.field).collect()
    };
    let with = |path: &str, value: Value| {
        let mut new = old.clone();
        *new.pointer_mut(path).unwrap() = value;
        new
    };
    assert_eq!(fields(&with("/metadata", json!({"labels": {"a": "b"}}))), Vec::<String>::new());
    assert_eq!(fields(&with("/spec/b", json!(false))), Vec::<String>::new());
    assert_eq!(fields(&with("/spec/req", json!({"a": "2"}))), ["spec.req.b"]);
    assert_eq!(
        fields(&with("/spec/li", json!([{"n": "abc"}, {"n": "a"}]))),
        ["spec.li[0].n"],
        "atomic items have no past"
    );
    assert_eq!(fields(&with("/spec/lm", json!([{"k": "y", "p": "TCP"}, {"k": "x", "p": 5}]))), Vec::<String>::new());
}

#[test]
fn a_missing_required_field_with_a_default_is_no_error() {
    let x = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "default": "d"}}});
    let schema = Structural::parse(&fixture::with_x(&x)).unwrap();
    assert!(validate(&json!({"spec": {"x": {}}}), None, &schema).is_empty());
}

#[test]
fn names_of_objects_are_formats() {
    let wrong = |format: &str, text: &str| {
        let schema = Structural::parse(&fixture::with_x(&json!({"type": "string", "format": format}))).unwrap();
        validate(&json!({"spec": {"x": text}}), None, &schema).len()
    };
    assert_eq!([wrong("k8s-short-name", "a-1"), wrong("k8s-long-name", "a.b-1")], [0, 0]);
    assert_eq!(
        [wrong("k8s-short-name", "a.b"), wrong("k8s-short-name", "A_b"), wrong("k8s-long-name", "a..b")],
        [1, 1, 1]
    );
}

/// The answer of a Kubernetes 1.36 server.
#[test]
fn formats_with_check_digits_are_validated() {
    let is_right = |format: &str, text: &str| {
        let schema = Structural::parse(&fixture::with_x(&json!({"type": "string", "format": format}))).unwrap();
        validate(&json!({"spec": {"x": text}}), None, &schema).is_empty()
    };
    let right = [
        ("isbn", "0321751043"),
        ("isbn", "978-0-321-75104-1"),
        ("isbn10", "0-321-75104-3"),
        ("isbn10", "0804429 57X"),
        ("isbn13", "9770321751042"),
        ("creditcard", "4111 1111 1111 1111"),
        ("creditcard", "4111.1111.1111.1111"),
        ("creditcard", "378282246310005"),
        ("creditcard", "30569309025904"),
        ("ssn", "123-45-6789"),
        ("ssn", "123 45 6789"),
    ];
    let wrong = [
        ("isbn", ""),
        ("isbn", "123"),
        ("isbn10", "0321751044"),
        ("isbn10", "080442957x"),
        ("isbn10", "X804429570"),
        ("isbn13", "9780321751042"),
        ("isbn13", "0321751043"),
        ("creditcard", "4111111111111112"),
        ("creditcard", "0000000000000000"),
        ("creditcard", "2223003122003222"),
        ("ssn", "123456789"),
        ("ssn", "123-45-67890"),
    ];
    assert_eq!(right.map(|(format, text)| is_right(format, text)), [true; 11]);
    assert_eq!(wrong.map(|(format, text)| is_right(format, text)), [false; 12]);
}

#[test]
fn unknown_formats_accept_any_text() {
    let x = json!({"type": "array", "items": {"type": "string", "format": "bogus"}});
    let schema = Structural::parse(&fixture::with_x(&x)).unwrap();
    assert!(validate(&json!({"spec": {"x": ["anything"]}}), None, &schema).is_empty());
}
