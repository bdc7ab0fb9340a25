//! The kind is a custom resource of the program.
use evenkeel::prelude::*;
use evenkeel::rules::Request;
use k8s_openapi::api::core::v1::ConfigMap;

#[rule(of = ConfigMap)]
fn judged(new: &ConfigMap, _old: Option<&ConfigMap>, request: &Request) -> bool {
    request.dry_run || new.immutable.is_none()
}

fn main() {
    ui_tests::enforce::<judged>();
}
