//! A spec with a struct and an enum of its own, as the page about the template shows it.

use evenkeel::prelude::*;
use schemars::JsonSchema;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "dns.example.com", version = "v1alpha1", kind = "DNSZone")]
#[kube(namespaced, status = "DNSZoneStatus")]
#[serde(rename_all = "camelCase")]
pub struct DNSZoneSpec {
    /// The records of the zone.
    #[serde(default)]
    pub records: Vec<Record>,
}

/// A record of a zone.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// The name below the domain of the zone.
    pub name: String,
    /// The type of the record.
    #[serde(default)]
    pub record_type: RecordType,
    /// How long others may cache the record, in seconds.
    #[serde(default)]
    pub ttl_seconds: Option<u32>,
}

/// The type of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum RecordType {
    #[default]
    A,
    Aaaa,
    #[serde(rename = "CNAME")]
    Alias,
}

#[status]
pub struct DNSZoneStatus {}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::{Cluster, Seed};
    use kube::CustomResourceExt;
    use serde_json::json;

    use super::*;

    /// Without `JsonSchema` at one of both types, the spec does not compile; without `rename`, the word is `ALIAS`.
    #[test]
    fn the_schema_has_the_fields_and_the_words_of_serde() {
        let crd = serde_json::to_value(DNSZone::crd()).unwrap();
        let spec = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        let record = &spec["properties"]["records"]["items"]["properties"];
        assert_eq!(record["recordType"]["enum"], json!(["A", "AAAA", "CNAME"]), "{record}");
        assert_eq!(record["recordType"]["default"], "A");
        assert_eq!(record["name"]["description"], "The name below the domain of the zone.");
        assert!(record["ttlSeconds"].is_object());
    }

    #[tokio::test(start_paused = true)]
    async fn the_api_server_refuses_another_word() {
        let zone = |word: &str| {
            let record = json!({ "name": "www", "recordType": word });
            let (metadata, spec) = (json!({ "name": "a" }), json!({ "records": [record] }));
            json!({ "apiVersion": "dns.example.com/v1alpha1", "kind": "DNSZone", "metadata": metadata, "spec": spec })
        };
        let cluster = Cluster::start().await;
        cluster.seed(Seed::from(&DNSZone::crd()).and(zone("CNAME"))).await.unwrap();
        let refused = cluster.seed(zone("Alias")).await.unwrap_err().to_string();
        assert!(refused.contains("spec.records[0].recordType"), "{refused}");
    }
}
