//! Values that the API server refuses: limits, a regular expression, and a rule about several fields.

use evenkeel::prelude::*;
use schemars::JsonSchema;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "cookbook.evenkeel.dev", version = "v1", kind = "Record", namespaced, status = "RecordStatus")]
pub struct RecordSpec {
    /// The host of the record.
    #[schemars(length(max = 253))]
    #[x_kube(validation = Rule::new("self.matches('^[a-z0-9.-]+$')").message("a host consists of a-z, 0-9, . and -"))]
    pub host: String,
    /// The type of the record.
    pub r#type: RecordType,
    /// The addresses or hosts to which the host leads.
    #[schemars(length(min = 1, max = 32), inner(length(max = 255)))]
    pub targets: Vec<String>,
    /// How long others may cache the record, in seconds.
    #[schemars(range(min = 60, max = 86_400))]
    pub ttl: u32,
}

/// The type of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum RecordType {
    A,
    #[serde(rename = "CNAME")]
    Alias,
}

#[rule(of = Record, at = spec, field = targets, message = "a CNAME record has one target")]
pub fn alias_has_one_target(new: &RecordSpec) -> bool {
    new.r#type != RecordType::Alias || new.targets.len() == 1
}

#[rule(of = Record, at = spec, field = targets, message = "a host cannot lead to itself")]
pub fn no_loop(new: &RecordSpec) -> bool {
    new.targets.iter().all(|target| *target != new.host)
}

#[status]
pub struct RecordStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum RecordCondition {
    /// The provider has the record.
    #[condition(positive)]
    Created,
}

#[sub_reconciler(sets(on::Created))]
pub async fn create(_record: &Record, _cx: &mut Cx) -> Result<(), ApiError> {
    Ok(())
}

#[reconciler(conditions = RecordCondition)]
pub async fn records(record: &Record, cx: &mut Pass<'_>) -> PassResult {
    create(record, cx).await?;
    Ok(())
}

pub fn operator() -> Operator {
    Operator::new("cookbook").reconciler::<records>(()).rules::<(alias_has_one_target, no_loop)>()
}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::{Cluster, Row};

    use super::*;

    fn record(spec: &str) -> String {
        format!("{{apiVersion: cookbook.evenkeel.dev/v1, kind: Record, metadata: {{name: a}}, spec: {{{spec}}}}}")
    }

    /// Without the `x_kube` line or a rule, or with a rule that is not registered, its record is stored.
    #[tokio::test(start_paused = true)]
    async fn a_record_that_breaks_a_rule_is_refused_with_its_field() {
        for (spec, cause) in [
            (
                "host: a_b, type: A, targets: [c], ttl: 60",
                r#"spec.host: 'Invalid value: "a_b": a host consists of a-z, 0-9, . and -'"#,
            ),
            (
                "host: a, type: CNAME, targets: [c, d], ttl: 60",
                "spec.targets: 'Invalid value: a CNAME record has one target'",
            ),
            (
                "host: a, type: CNAME, targets: [a], ttl: 60",
                "spec.targets: 'Invalid value: a host cannot lead to itself'",
            ),
        ] {
            let denied = format!("{{outcome: Denied, denied: {{{cause}}}}}");
            Row::new(spec).admit(operator(), record(spec)).await.expect(&denied);
        }
        let fits = record("host: a, type: CNAME, targets: [c], ttl: 60");
        Row::new("a record that fits").admit(operator(), fits).await.expect("outcome: Allowed");
    }

    /// Without its attribute, each of them is stored.
    #[tokio::test(start_paused = true)]
    async fn a_record_that_exceeds_a_limit_is_refused() {
        let cluster = Cluster::start().await;
        for definition in &operator().definitions() {
            cluster.seed(definition).await.unwrap();
        }
        let (long, many) = ("a".repeat(256), ["c"; 33].join(", "));
        for (spec, cause) in [
            (format!("host: {long}, type: A, targets: [c], ttl: 60"), "spec.host: Too long"),
            (format!("host: a, type: A, targets: [{long}], ttl: 60"), "spec.targets[0]: Too long"),
            (format!("host: a, type: A, targets: [{many}], ttl: 60"), "spec.targets: Too many"),
            ("host: a, type: A, targets: [], ttl: 60".to_owned(), "should have at least 1 items"),
            ("host: a, type: A, targets: [c], ttl: 1".to_owned(), "should be greater than or equal to 60"),
            ("host: a, type: A, targets: [c], ttl: 90000".to_owned(), "should be less than or equal to 86400"),
            ("host: a, type: MX, targets: [c], ttl: 60".to_owned(), r#"supported values: "A", "CNAME""#),
        ] {
            let refused = cluster.seed(record(&spec)).await.unwrap_err().to_string();
            assert!(refused.contains(cause), "{refused}");
        }
    }

    /// Without `max = 32`, an API server rejects the CRD: the estimated cost of `no_loop` is eleven times the limit.
    #[test]
    fn the_rules_are_the_same_in_rust_and_in_cel_and_their_cost_is_limited() {
        evenkeel_testkit::rules::<(alias_has_one_target, no_loop)>();
    }
}
