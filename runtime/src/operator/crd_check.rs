//! Checks that the installed CRD fits the type that the program was built with.

use std::time::Duration;

use http::Request;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use serde_json::Value;

use super::error::{Error, Reason, Result, install};
use crate::api::grant::plural_and_group;
use crate::schema::{Misfit, Published, What, converted_misfits, listed, misfits};
use crate::status::{FRAMEWORK_FIELDS, used_fields};
use crate::wiring::{KindInfo, Wiring, conversion_path};

/// How long the start waits for a schema. Without it, the CRD watch and the responses to status writes report a misfit later.
const PATIENCE: Duration = Duration::from_secs(5);

/// The expected CRD of a reconciler.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) kind: KindInfo,
    pub(super) wiring: Wiring,
    /// The schema of the type; `None` if others install the kind, which then fits.
    schema: Option<Value>,
    /// The versions that are converted to this one.
    served: Vec<ServedVersion>,
}

/// A version of the kind that the operator converts.
#[derive(Clone, Debug)]
pub(super) struct ServedVersion {
    pub(super) name: String,
    /// The schema of its type.
    pub(super) schema: Value,
}

impl ServedVersion {
    /// The version of this CRD, which has only this one.
    #[cfg(feature = "webhooks")]
    pub(super) fn of(definition: &CustomResourceDefinition, version: &str) -> Self {
        Self { name: version.to_owned(), schema: schema(definition, version) }
    }
}

/// Compares two schemas; the function selects the status fields that the program writes.
type Compare = fn(&Value, &Value, &dyn Fn(&str) -> bool) -> Vec<Misfit>;

/// The schema of a version. One that cannot be serialized counts as missing.
fn schema(definition: &CustomResourceDefinition, version: &str) -> Value {
    let version = definition.spec.versions.iter().find(|other| other.name == version);
    let schema = version.and_then(|version| version.schema.as_ref()?.open_api_v3_schema.as_ref());
    schema.and_then(|schema| serde_json::to_value(schema).ok()).unwrap_or_default()
}

impl Expected {
    pub(super) fn new(
        definition: Option<&CustomResourceDefinition>,
        kind: KindInfo,
        wiring: Wiring,
        served: Vec<ServedVersion>,
    ) -> Self {
        let schema = definition.map(|definition| schema(definition, &kind.resource.version));
        Self { kind, wiring, schema, served }
    }

    /// Whether the program has the CRD of the kind.
    pub(super) fn is_own(&self) -> bool {
        self.schema.is_some()
    }

    /// The name of the CRD.
    pub(super) fn name(&self) -> String {
        plural_and_group(&self.kind.resource.plural, &self.kind.resource.group)
    }

    /// Checks the installed CRD.
    pub(super) fn check(&self, definition: &Value) -> Result {
        let installed = self.find(definition, &self.kind.resource.version)?;
        let has_status = installed["subresources"]["status"].is_object();
        self.check_version(&installed["schema"]["openAPIV3Schema"], has_status)?;
        self.served.iter().try_for_each(|served| self.check_served(definition, served))
    }

    /// Finds a served version in the installed CRD.
    fn find<'d>(&self, definition: &'d Value, version: &str) -> Result<&'d Value> {
        let versions = definition["spec"]["versions"].as_array().into_iter().flatten();
        let served: Vec<&Value> = versions.filter(|v| v["served"] == true).collect();
        served.iter().find(|v| v["name"] == version).copied().ok_or_else(|| {
            let served: Vec<_> = served.iter().filter_map(|v| v["name"].as_str()).collect();
            self.error(Reason::NotServed, &format!("does not serve {version}, but {}", served.join(", ")))
        })
    }

    /// Checks a version that the operator converts. The API server drops what its schema lacks, and without a webhook it changes the version
    /// only.
    fn check_served(&self, definition: &Value, served: &ServedVersion) -> Result {
        let installed = self.find(definition, &served.name)?;
        let misfits = self.misfits(converted_misfits, &served.schema, &installed["schema"]["openAPIV3Schema"]);
        if !misfits.is_empty() {
            return Err(self.misfit(&served.name, &misfits));
        }
        match &definition["spec"]["conversion"]["strategy"] {
            strategy if strategy == "Webhook" => Ok(()),
            _ => Err(self.error(Reason::Outdated, &format!("calls no webhook to convert {}", served.name))),
        }
    }

    /// Checks that the program knows all versions in which objects may be stored, if the CRD relies on a program of evenkeel to convert them. A
    /// program that is older than its CRD cannot.
    pub(super) fn check_stored(&self, definition: &Value) -> Result {
        let calls_us = definition.pointer("/spec/conversion/webhook/clientConfig").is_some_and(|config| {
            let place = [&config["service"]["path"], &config["url"]].into_iter().find_map(Value::as_str);
            place.is_some_and(|place| place.ends_with(&conversion_path(&self.name())))
        });
        if self.served.is_empty() && !calls_us {
            return Ok(());
        }
        let is_known = |version: &str| {
            self.kind.resource.version == version || self.served.iter().any(|served| served.name == version)
        };
        let mut stored =
            definition["status"]["storedVersions"].as_array().into_iter().flatten().filter_map(Value::as_str);
        stored.find(|version| !is_known(version)).map_or(Ok(()), |version| {
            let headline = format!(
                "objects of {} may be stored in {version}, which this program does not know: it is older than its CRD",
                self.name()
            );
            let help = format!(
                "run the newer program; to go back, set `storage: true` for {} in the CRD while it runs, and run `migrate` of this program",
                self.kind.resource.version
            );
            Err(Error::new(Reason::TooOld, headline, help))
        })
    }

    fn misfit(&self, version: &str, misfits: &[Misfit]) -> Error {
        self.error(Reason::Outdated, &format!("does not fit the program in {version}: {}", listed(misfits)))
    }

    /// Checks the served version.
    fn check_version(&self, schema: &Value, has_status: bool) -> Result {
        let version = &self.kind.resource.version;
        if !has_status {
            return Err(self.error(Reason::Outdated, &format!("has no status subresource in {version}")));
        }
        let Some(own) = &self.schema else { return Ok(()) };
        let compare = if self.served.is_empty() { misfits } else { converted_misfits };
        let mut misfits = self.misfits(compare, own, schema);
        // A type without its own status schema does not cover the fields that the framework writes.
        if own["properties"]["status"]["properties"].is_null() {
            misfits.extend(lacking(schema, &self.used_fields()));
        }
        if misfits.is_empty() { Ok(()) } else { Err(self.misfit(version, &misfits)) }
    }

    /// The fields of the framework that the reconciler uses.
    fn used_fields(&self) -> Vec<&'static str> {
        used_fields(&self.wiring).collect()
    }

    fn misfits(&self, compare: Compare, own: &Value, installed: &Value) -> Vec<Misfit> {
        let used = self.used_fields();
        compare(own, installed, &|field: &str| !FRAMEWORK_FIELDS.contains(&field) || used.contains(&field))
    }

    fn error(&self, reason: Reason, what: &str) -> Error {
        Error::new(reason, format!("the installed CRD {} {what}", self.name()), install())
    }
}

/// The wanted fields that the status lacks.
fn lacking<'a>(installed: &'a Value, wanted: &'a [&'a str]) -> impl Iterator<Item = Misfit> + 'a {
    let status = &installed["properties"]["status"];
    let is_open = [installed, status].iter().any(|schema| schema["x-kubernetes-preserve-unknown-fields"] == true);
    let lacking = wanted.iter().filter(move |field| !is_open && status["properties"][**field].is_null());
    lacking.map(|field| Misfit { path: format!(".status.{field}"), what: What::Missing })
}

/// Compares the installed CRD with the expected one. A kind that is not installed is no error here: its list fails.
pub(super) async fn check(client: &Client, expected: &Expected) -> Result {
    if !expected.is_own() {
        return Ok(());
    }
    let found = tokio::time::timeout(PATIENCE, find(client, expected)).await;
    found.unwrap_or_else(|_| {
        tracing::debug!(
            crd = expected.name(),
            "the API server did not respond within {PATIENCE:?}; the schema was not checked"
        );
        Ok(())
    })
}

/// Reads the CRD, or the schema in `/openapi` if the role may not read CRDs.
async fn find(client: &Client, expected: &Expected) -> Result {
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}", expected.name());
    match get(client, path).await {
        Ok(definition) => {
            expected.check(&definition)?;
            expected.check_stored(&definition)
        }
        Err(kube::Error::Api(status)) if matches!(status.code, 401 | 403) => find_published(client, expected).await,
        Err(error) => {
            tracing::debug!(%error, crd = expected.name(), "the CRD cannot be read; the schema was not checked");
            Ok(())
        }
    }
}

/// Reads OpenAPI v3, or v2 on servers older than 1.24.
async fn find_published(client: &Client, expected: &Expected) -> Result {
    let newer = format!("/openapi/v3/apis/{}", expected.kind.resource.api_version);
    for path in [newer, "/openapi/v2".to_owned()] {
        let Ok(document) = get(client, path).await else { continue };
        if let Some(published) = Published::find(&document, &expected.kind) {
            return expected.check_version(published.schema, published.has_status);
        }
    }
    tracing::debug!(
        crd = expected.name(),
        "neither the CRD nor its OpenAPI schema can be read; the schema was not checked"
    );
    Ok(())
}

async fn get(client: &Client, path: String) -> Result<Value, kube::Error> {
    let request = Request::get(path).header(http::header::ACCEPT, "application/json").body(Vec::new());
    client.request(request.map_err(kube::Error::HttpError)?).await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::wiring::StepWiring;

    fn expected(wiring: Wiring) -> Expected {
        let kind = KindInfo::of::<k8s_openapi::api::apps::v1::Deployment>();
        Expected { kind, wiring, schema: Some(Value::Null), served: Vec::new() }
    }

    fn definition(status: &Value) -> Value {
        json!({ "spec": { "versions": [
            { "name": "v1beta1", "served": true },
            { "name": "v1", "served": true, "subresources": { "status": {} },
              "schema": { "openAPIV3Schema": { "properties": { "status": status } } } },
        ] } })
    }

    fn headline(expected: &Expected, definition: &Value) -> String {
        expected
            .check(definition)
            .map_or_else(|error| error.to_string().lines().next().unwrap().to_owned(), |()| String::new())
    }

    #[test]
    fn missing_status_fields_are_named() {
        let status = json!({ "properties": { "conditions": {}, "artifact": {} } });
        let lacking = "the installed CRD deployments.apps does not fit the program in v1: .status.observedGeneration is missing, \
             .status.observedInputs is missing, .status.lastHandledReconcileAt is missing";
        assert_eq!(headline(&expected(Wiring::EMPTY), &definition(&status)), lacking);
    }

    #[test]
    fn handled_actions_are_required_only_with_declared_actions() {
        const STEPS: &[StepWiring] = &[StepWiring { actions: &["force"], ..StepWiring::EMPTY }];
        let fields = ["observedGeneration", "conditions", "observedInputs", "lastHandledReconcileAt"];
        let properties: serde_json::Map<String, Value> =
            fields.map(|field| (field.to_owned(), json!({}))).into_iter().collect();
        let definition = definition(&json!({ "properties": properties }));
        assert_eq!(headline(&expected(Wiring::EMPTY), &definition), "");
        let wiring = Wiring { steps: STEPS, ..Wiring::EMPTY };
        assert!(headline(&expected(wiring), &definition).ends_with(": .status.lastHandledActions is missing"));
    }

    #[test]
    fn a_program_that_is_older_than_its_crd_is_rejected() {
        let check = |served: &[&str], path: &str, stored: &[&str]| {
            let served = served.iter().map(|name| ServedVersion { name: (*name).to_owned(), schema: Value::Null });
            let expected = Expected { served: served.collect(), ..expected(Wiring::EMPTY) };
            let definition = json!({
                "spec": { "conversion": { "webhook": { "clientConfig": { "service": { "path": path } } } } },
                "status": { "storedVersions": stored },
            });
            expected.check_stored(&definition)
        };
        let (own, other) = ("/convert/deployments.apps", "/convert");
        for (served, path, stored) in
            [(&[][..], own, &["v1"][..]), (&[], other, &["v1beta1", "v1"]), (&["v1beta1"], own, &["v1beta1", "v1"])]
        {
            assert_eq!(check(served, path, stored), Ok(()), "{served:?} {path} {stored:?}");
        }
        for (served, path) in [(&[][..], own), (&["v1beta1"], other)] {
            let error = check(served, path, &["v1", "v2"]).unwrap_err();
            assert_eq!(error.reason(), Reason::TooOld);
            assert!(error.to_string().starts_with("objects of deployments.apps may be stored in v2, which"), "{error}");
        }
    }

    #[test]
    fn an_open_status_accepts_all_fields() {
        let status = json!({ "x-kubernetes-preserve-unknown-fields": true });
        assert_eq!(headline(&expected(Wiring::EMPTY), &definition(&status)), "");
    }

    #[test]
    fn an_unserved_version_or_missing_status_subresource_is_rejected() {
        let of = |version: &str| {
            let mut expected = expected(Wiring::EMPTY);
            Arc::make_mut(&mut expected.kind.resource).version = version.to_owned();
            headline(&expected, &definition(&json!({})))
        };
        assert_eq!(of("v1beta1"), "the installed CRD deployments.apps has no status subresource in v1beta1");
        assert_eq!(of("v2"), "the installed CRD deployments.apps does not serve v2, but v1beta1, v1");
    }
}
