//! The Deployment of the operator.

use std::net::SocketAddr;
use std::time::Duration;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, DeploymentStrategy, RollingUpdateDeployment};
use k8s_openapi::api::core::v1::{
    Container, ContainerPort, EnvVar, EnvVarSource, ObjectFieldSelector, PodSpec, PodTemplateSpec, SecretVolumeSource,
    TopologySpreadConstraint, Volume, VolumeMount,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::core::ObjectMeta;

use super::labels::Source;
use super::service::{METRICS, WEBHOOKS};
use super::{certificate, config_map, pod_security, probes, resources};

/// The annotation of the pod with the hash of the program's part of the objects. A new hash restarts the pods.
const WIRING: &str = "evenkeel.dev/wiring";
/// The variable by which the program learns the annotation.
pub(crate) const WIRING_VARIABLE: &str = "OPERATOR_WIRING";
/// Where the certificate is mounted.
const CERTIFICATE: &str = "/var/run/evenkeel/certificate";
/// How long a stopped webhook server still answers.
const SERVES_ON: Duration = Duration::from_secs(15);
/// What the process may take after its passes have ended, in seconds.
const MARGIN: u64 = 10;

#[allow(clippy::useless_conversion, reason = "the spec is an Option in the types before Kubernetes 1.37")]
pub(super) fn deployment(source: Source<'_>) -> Deployment {
    let selector = LabelSelector { match_labels: Some(source.own_selector()), ..LabelSelector::default() };
    let spec = DeploymentSpec {
        replicas: i32::try_from(source.replicas()).ok(),
        selector,
        strategy: Some(strategy(source)),
        template: PodTemplateSpec { metadata: Some(pod_metadata(source)), spec: Some(pod(source)) },
        ..DeploymentSpec::default()
    };
    Deployment { metadata: source.own_meta(), spec: spec.into(), ..Deployment::default() }
}

/// How a roll-out replaces the pods. Without a lease two pods would reconcile the same objects meanwhile, so the old one ends first.
fn strategy(source: Source<'_>) -> DeploymentStrategy {
    if !source.elects() {
        return DeploymentStrategy { type_: Some("Recreate".to_owned()), rolling_update: None };
    }
    let rolling =
        RollingUpdateDeployment { max_unavailable: Some(IntOrString::Int(0)), max_surge: Some(IntOrString::Int(1)) };
    DeploymentStrategy { type_: Some("RollingUpdate".to_owned()), rolling_update: Some(rolling) }
}

fn pod_metadata(source: Source<'_>) -> ObjectMeta {
    let own = [
        // kubectl logs and exec choose this container where a mesh adds others.
        ("kubectl.kubernetes.io/default-container".to_owned(), source.name("")),
        (WIRING.to_owned(), source.parts.wiring.clone()),
    ];
    let annotations = own.into_iter().chain(config_map::annotation(source)).collect();
    ObjectMeta { labels: source.own_meta().labels, annotations: Some(annotations), ..ObjectMeta::default() }
}

fn pod(source: Source<'_>) -> PodSpec {
    let certificate = Volume {
        name: "certificate".to_owned(),
        secret: Some(SecretVolumeSource {
            secret_name: Some(certificate::secret(source)),
            ..SecretVolumeSource::default()
        }),
        ..Volume::default()
    };
    PodSpec {
        service_account_name: Some(source.name("")),
        automount_service_account_token: Some(true),
        security_context: Some(pod_security::of_pod()),
        termination_grace_period_seconds: i64::try_from(grace(source)).ok(),
        topology_spread_constraints: source.elects().then(|| vec![spread(source)]),
        containers: vec![container(source)],
        volumes: some(certificate::is_issued(source).then_some(certificate), config_map::volume(source)),
        ..PodSpec::default()
    }
}

/// The seconds from SIGTERM to SIGKILL.
fn grace(source: Source<'_>) -> u64 {
    let passes = source.parts.shutdown_timeout;
    let longest = if source.parts.hooks.is_some() { passes.max(SERVES_ON) } else { passes };
    longest.as_secs() + u64::from(longest.subsec_nanos() > 0) + MARGIN
}

/// Replicas are on different nodes where there are some.
fn spread(source: Source<'_>) -> TopologySpreadConstraint {
    TopologySpreadConstraint {
        max_skew: 1,
        topology_key: "kubernetes.io/hostname".to_owned(),
        when_unsatisfiable: "ScheduleAnyway".to_owned(),
        label_selector: Some(LabelSelector { match_labels: Some(source.own_selector()), ..LabelSelector::default() }),
        ..TopologySpreadConstraint::default()
    }
}

fn container(source: Source<'_>) -> Container {
    let mount = VolumeMount {
        name: "certificate".to_owned(),
        mount_path: CERTIFICATE.to_owned(),
        read_only: Some(true),
        ..VolumeMount::default()
    };
    let mut container = Container {
        name: source.name(""),
        image: Some(source.options.image.clone()),
        image_pull_policy: Some("IfNotPresent".to_owned()),
        args: Some(arguments(source)),
        env: Some(environment()),
        ports: Some(ports(source)),
        resources: Some(resources::resources(source.options.objects)),
        security_context: Some(pod_security::of_container()),
        volume_mounts: some(certificate::is_issued(source).then_some(mount), config_map::mount(source)),
        ..Container::default()
    };
    probes::add(&mut container, source);
    container
}

/// The ones that there are; `None` if there is none.
fn some<T>(one: Option<T>, other: Option<T>) -> Option<Vec<T>> {
    Some(one.into_iter().chain(other).collect::<Vec<_>>()).filter(|all| !all.is_empty())
}

/// The command line of the program.
fn arguments(source: Source<'_>) -> Vec<String> {
    let mut arguments = vec!["run".to_owned(), format!("--listen={}", source.options.listen)];
    if source.parts.hooks.is_some() {
        arguments.push(format!("--webhooks={}", source.options.webhooks));
    }
    if certificate::is_issued(source) {
        arguments.push(format!("--webhook-certs={CERTIFICATE}"));
    }
    if source.elects() {
        arguments.push("--replicas".to_owned());
    }
    if !source.parts.watched.is_empty() {
        arguments.push(format!("--namespace={}", source.parts.watched.join(",")));
    }
    arguments.extend(config_map::argument(source));
    arguments.extend(source.options.arguments.iter().cloned());
    arguments
}

fn environment() -> Vec<EnvVar> {
    let field = |name: &str, path: &str| EnvVar {
        name: name.to_owned(),
        value_from: Some(EnvVarSource {
            field_ref: Some(ObjectFieldSelector { field_path: path.to_owned(), ..ObjectFieldSelector::default() }),
            ..EnvVarSource::default()
        }),
        ..EnvVar::default()
    };
    // glibc otherwise has an arena for each thread, which never returns memory.
    let arenas = EnvVar { name: "MALLOC_ARENA_MAX".to_owned(), value: Some("1".to_owned()), ..EnvVar::default() };
    vec![
        field("POD_NAME", "metadata.name"),
        field("POD_NAMESPACE", "metadata.namespace"),
        field(WIRING_VARIABLE, &format!("metadata.annotations['{WIRING}']")),
        arenas,
    ]
}

fn ports(source: Source<'_>) -> Vec<ContainerPort> {
    let port = |name: &str, address: SocketAddr| ContainerPort {
        name: Some(name.to_owned()),
        container_port: i32::from(address.port()),
        protocol: Some("TCP".to_owned()),
        ..ContainerPort::default()
    };
    let webhooks = source.parts.hooks.iter().map(|_| port(WEBHOOKS, source.options.webhooks));
    std::iter::once(port(METRICS, source.options.listen)).chain(webhooks).collect()
}
