//! Sessions that create built-in objects, which kubectl sends as protobuf.

use serde_json::{Value, json};

use crate::Verdict;
use crate::shell::{Shell, has, holds, same};

crate::sessions!(
    config_maps_and_secrets_are_created,
    namespaces_are_created_and_deleted_with_their_contents,
    a_deployment_is_created_as_requested,
    jobs_services_and_roles_are_created,
    create_sends_the_printed_object,
);

async fn config_maps_and_secrets_are_created() -> Verdict {
    let shell = Shell::open().await?;
    same(&shell.ok("create configmap a --from-literal=k=v --from-literal=l=w").await?, "configmap/a created")?;
    holds("data", shell.object("cm a").await?["data"] == json!({"k": "v", "l": "w"}))?;
    has(&shell.fails("create configmap a").await?, &[r#"configmaps "a" already exists"#])?;
    same(&shell.ok("create secret generic s --from-literal=p=q").await?, "secret/s created")?;
    let secret = shell.object("secret s").await?;
    holds("secret", secret["data"] == json!({"p": "cQ=="}) && secret["type"] == "Opaque")?;
    has(&shell.fails("create configmap b -n absent").await?, &[r#"namespaces "absent" not found"#])
}

async fn namespaces_are_created_and_deleted_with_their_contents() -> Verdict {
    let shell = Shell::open().await?;
    same(&shell.ok("create namespace extra").await?, "namespace/extra created")?;
    shell.ok("create configmap a -n extra").await?;
    same(&shell.ok("delete namespace extra").await?, r#"namespace "extra" deleted"#)?;
    has(&shell.fails("get cm a -n extra").await?, &["NotFound"])?;
    has(&shell.fails("get ns extra").await?, &["NotFound"])
}

async fn a_deployment_is_created_as_requested() -> Verdict {
    let shell = Shell::open().await?;
    shell.ok("create deployment web --image=nginx --replicas=0 --port=80").await?;
    let deployment = shell.object("deploy web").await?;
    holds("no replicas", deployment["spec"]["replicas"] == 0)?;
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    holds("container", container["name"] == "nginx" && container["ports"][0]["containerPort"] == 80)?;
    holds("selector", deployment["spec"]["selector"]["matchLabels"] == json!({"app": "web"}))
}

async fn jobs_services_and_roles_are_created() -> Verdict {
    let shell = Shell::open().await?;
    shell.ok("create job j --image=busybox -- date").await?;
    holds(
        "command",
        shell.object("job j").await?["spec"]["template"]["spec"]["containers"][0]["command"] == json!(["date"]),
    )?;
    shell.ok("create service clusterip s --tcp=80:8080").await?;
    holds("port", shell.object("svc s").await?["spec"]["ports"][0]["targetPort"] == 8080)?;
    shell.ok("create serviceaccount robot").await?;
    shell.ok("create role r --verb=get,list --resource=configmaps --resource-name=a").await?;
    let rules =
        json!([{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"], "verbs": ["get", "list"]}]);
    holds("rules", shell.object("role r").await?["rules"] == rules)?;
    shell.ok("create rolebinding b --role=r --serviceaccount=default:robot").await?;
    let subjects = json!([{"kind": "ServiceAccount", "name": "robot", "namespace": "default"}]);
    holds("subjects", shell.object("rolebinding b").await?["subjects"] == subjects)
}

/// Every subcommand of `kubectl create` that creates an object, with arguments.
const CREATED: [(&str, &str); 19] = [
    ("clusterrole", "a --verb=get,list --resource=pods,deployments.apps"),
    ("clusterrole", "b --verb=get --non-resource-url=/logs/*"),
    ("clusterrolebinding", "a --clusterrole=a --user=jane --group=ops --serviceaccount=default:robot"),
    ("configmap", "a --from-literal=k=v"),
    ("cronjob", "a --image=busybox --schedule='*/5 * * * *' -- date -u"),
    ("deployment", "a --image=nginx --replicas=3 --port=80"),
    ("ingress", "a --class=c --default-backend=d:http --rule=a.b/c*=svc:80,tls=s --annotation=k=v"),
    ("job", "a --image=busybox -- date"),
    ("poddisruptionbudget", "a --selector=app=x --min-available=50%"),
    ("poddisruptionbudget", "b --selector=app=x --max-unavailable=0"),
    ("priorityclass", "a --value=7 --description=seven --preemption-policy=Never"),
    ("priorityclass", "b --value=0 --global-default"),
    ("quota", "a --hard=cpu=1,pods=3 --scopes=BestEffort"),
    ("role", "a --verb=get --resource=configmaps --resource-name=a"),
    ("rolebinding", "a --role=a --user=jane"),
    ("secret docker-registry", "d --docker-username=u --docker-password=p --docker-server=s.dev"),
    ("secret generic", "a --from-literal=k=v --type=ex.dev/t"),
    ("service nodeport", "a --tcp=80:http"),
    ("service externalname", "e --external-name=a.b"),
];

async fn create_sends_the_printed_object() -> Verdict {
    let shell = Shell::open().await?;
    for (kind, rest) in CREATED {
        let (rest, command) = rest.split_once(" -- ").map_or((rest, String::new()), |(a, b)| (a, format!(" -- {b}")));
        let sent = shell.ok(&format!("create {kind} {rest} --dry-run=client -o json{command}")).await?;
        let sent: Value = serde_json::from_str(&sent).map_err(|error| error.to_string())?;
        shell.ok(&format!("create {kind} {rest}{command}")).await?;
        let name = rest.split(' ').next().unwrap_or_default();
        let stored = shell.object(&format!("{} {name}", kind.split(' ').next().unwrap_or_default())).await?;
        if let Some(missing) = missing(&sent, &stored, "") {
            return Err(format!("create {kind} {rest}: {missing}"));
        }
    }
    Ok(())
}

/// The first sent field that is not stored with the same value.
fn missing(sent: &Value, stored: &Value, at: &str) -> Option<String> {
    match (sent, stored) {
        (Value::Null, _) => None,
        (Value::Object(sent), _) => {
            sent.iter().find_map(|(name, sent)| missing(sent, &stored[name], &format!("{at}.{name}")))
        }
        (Value::Array(sent), Value::Array(stored)) if sent.len() == stored.len() => sent
            .iter()
            .zip(stored)
            .enumerate()
            .find_map(|(i, (sent, stored))| missing(sent, stored, &format!("{at}[{i}]"))),
        _ if sent == stored => None,
        _ if at.starts_with(".status") => None,
        _ => Some(format!("{at}: {sent} was sent, {stored} is stored")),
    }
}
