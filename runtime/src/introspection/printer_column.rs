//! Printer columns for `kubectl get`, derived from the condition set.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceColumnDefinition as Column, CustomResourceDefinition,
};

use kube::CustomResourceExt;

use super::number_format::remove_unknown_formats;
use crate::condition::READY;
use crate::pipeline::reconciler::Reconciler;
use crate::wiring::{KindInfo, Wiring};

/// The CRD of the kind that a reconciler reconciles, with its printer columns.
///
/// The CRD that `#[derive(CustomResource)]` returns from `K::crd()` contains only the schema. This function adds
/// printer columns for Ready, its message, each condition of the reconciler (`-o wide`) and the age. A column that the
/// author declared under one of these names is left unchanged. Formats of numbers that Kubernetes does not know, such as `uint32`, are
/// removed, since an API server warns of them.
///
/// The command `crds` prints the same CRD. If several reconcilers share a kind,
/// [`Operator::definitions`](crate::Operator::definitions) merges their columns.
///
/// ```ignore
/// let definitions: Api<CustomResourceDefinition> = Api::all(client);
/// let params = PatchParams::apply("setup").force();
/// let crd = evenkeel::crd::<git_repository>();
/// definitions.patch(GitRepository::crd_name(), &params, &Patch::Apply(crd)).await?;
/// ```
#[must_use]
pub fn crd<R: Reconciler<Object: CustomResourceExt>>() -> CustomResourceDefinition {
    completed::<R>(R::Object::crd())
}

/// The CRD as a program prints it: with the columns of a reconciler, and without formats that an API server warns of.
pub(crate) fn completed<R: Reconciler>(mut definition: CustomResourceDefinition) -> CustomResourceDefinition {
    remove_unknown_formats(&mut definition);
    add_columns::<R>(&mut definition);
    definition
}

/// Adds the columns of a reconciler to the version of the CRD that it reconciles.
pub(crate) fn add_columns<R: Reconciler>(definition: &mut CustomResourceDefinition) {
    let kind = KindInfo::of::<R::Object>();
    let versions = definition.spec.versions.iter_mut();
    for version in versions.filter(|version| version.name == kind.resource.version) {
        let own = version.additional_printer_columns.take().unwrap_or_default();
        version.additional_printer_columns = Some(merged(&R::WIRING, own));
    }
}

/// Orders the columns: Ready, the author's columns, the message, the conditions (`-o wide`), and the age.
fn merged(wiring: &Wiring, mut own: Vec<Column>) -> Vec<Column> {
    let written: Vec<String> = own.iter().map(|column| column.name.clone()).collect();
    let missing = |column: &Column| !written.contains(&column.name);
    let last = own.pop_if(|column| column.name == AGE);
    let summaries = wiring.summaries.iter().map(|summary| (summary.type_, summary.doc));
    let conditions = summaries.chain(wiring.conditions.iter().map(|info| (info.type_, info.doc)));
    let conditions = conditions.map(|(type_, doc)| Column {
        description: Some(doc.to_owned()).filter(|doc| !doc.is_empty()),
        priority: Some(1),
        ..of_condition(type_, type_, "status")
    });
    let ready = Some(of_condition(READY, READY, "status")).filter(missing);
    let message = Some(of_condition("Status", READY, "message")).filter(missing);
    let age = last.or_else(|| Some(age()).filter(missing));
    ready.into_iter().chain(own).chain(message).chain(conditions.filter(missing)).chain(age).collect()
}

const AGE: &str = "Age";

fn of_condition(name: &str, type_: &str, field: &str) -> Column {
    let json_path = format!(".status.conditions[?(@.type==\"{type_}\")].{field}");
    Column { name: name.to_owned(), type_: "string".into(), json_path, ..Column::default() }
}

fn age() -> Column {
    let json_path = ".metadata.creationTimestamp".to_owned();
    Column { name: AGE.into(), type_: "date".into(), json_path, ..Column::default() }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn names(own: Vec<Column>) -> Vec<String> {
        merged(&fixture::known().wiring, own).into_iter().map(|column| column.name).collect()
    }

    #[test]
    fn a_crd_without_columns_gets_default_columns() {
        let columns = merged(&fixture::known().wiring, Vec::new());
        let wide: Vec<_> = columns.iter().filter(|c| c.priority == Some(1)).map(|c| c.name.as_str()).collect();
        assert_eq!(wide, ["Fetched", "Outdated", "Stored"]);
        assert_eq!(names(Vec::new()), ["Ready", "Status", "Fetched", "Outdated", "Stored", "Age"]);
        assert_eq!(columns[2].description.as_deref(), Some("It was fetched."));
        assert_eq!(columns[1].json_path, r#".status.conditions[?(@.type=="Ready")].message"#);
    }

    #[test]
    fn author_defined_columns_are_unchanged() {
        let own = |name: &str| Column { name: name.into(), json_path: ".spec.x".into(), ..Column::default() };
        assert_eq!(
            names(vec![own("Status"), own("Revision"), own("Age")]),
            ["Ready", "Status", "Revision", "Fetched", "Outdated", "Stored", "Age"]
        );
        let columns = merged(&fixture::known().wiring, vec![own("Age"), own("Stored")]);
        assert!(columns.iter().filter(|c| c.json_path == ".spec.x").count() == 2, "{columns:?}");
    }
}
