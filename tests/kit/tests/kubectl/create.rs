//! Sessions that create built-in objects: kubectl sends them as protobuf.

use serde_json::json;

use crate::Verdict;
use crate::shell::{Shell, has, holds, same};

crate::sessions!(
    config_maps_and_secrets_are_created,
    namespaces_are_created_and_deleted_with_their_contents,
    a_deployment_is_created_as_it_was_asked_for,
    jobs_services_and_roles_are_created,
    what_is_not_read_as_protobuf_is_refused_with_the_cure,
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

async fn a_deployment_is_created_as_it_was_asked_for() -> Verdict {
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

async fn what_is_not_read_as_protobuf_is_refused_with_the_cure() -> Verdict {
    let shell = Shell::open().await?;
    let refused = shell.fails("create ingress i --rule=a.b/c=svc:80").await?;
    has(&refused, &["does not read this protobuf (a Ingress", "create --dry-run=client -o yaml | kubectl apply -f -"])
}
