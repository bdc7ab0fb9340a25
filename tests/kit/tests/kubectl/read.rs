//! Sessions that read: tables, other outputs, watches, describe, explain and discovery.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};

use crate::Verdict;
use crate::shell::{Shell, has, holds, same};

crate::sessions!(
    get_prints_the_columns_of_the_crd,
    get_prints_all_forms,
    get_watches_and_prints_a_row_for_each_change,
    get_prints_built_in_kinds,
    get_pages_through_many_objects,
    describe_shows_fields_and_events,
    explain_prints_the_schema_of_a_custom_kind,
    explain_prints_fields_and_types_of_built_in_kinds,
    discovery_lists_kinds_by_group_and_category,
    events_are_listed_by_their_object,
    wait_ends_with_the_condition_and_with_the_deletion,
);

async fn get_prints_the_columns_of_the_crd() -> Verdict {
    let shell = Shell::with_widgets().await?;
    same(&shell.all("get widgets").await?, "No resources found in default namespace.\nexit 0")?;
    shell.ok("apply -f w.yaml").await?;
    same(&shell.ok("get widgets").await?, "NAME SIZE AGE\nw 1 <age>")?;
    same(&shell.ok("get wd w -o wide").await?, "NAME SIZE COLOR AGE\nw 1 red <age>")?;
    same(&shell.ok("get wd -A").await?, "NAMESPACE NAME SIZE AGE\ndefault w 1 <age>")?;
    same(&shell.ok("get wd --no-headers --show-labels").await?, "w 1 <age> <none>")?;
    has(&shell.fails("get wd absent").await?, &[r#"Error from server (NotFound): widgets.ex.dev "absent" not found"#])
}

async fn get_prints_all_forms() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    has(&shell.ok("get wd w -o yaml").await?, &["kind: Widget", "generation: 1", "color: red"])?;
    has(&shell.ok("get wd -o json").await?, &[r#""kind": "List""#, r#""color": "red""#])?;
    same(&shell.ok("get wd -o name").await?, "widget.ex.dev/w")?;
    same(&shell.ok("get wd w -o jsonpath={.spec.size}").await?, "1")?;
    same(&shell.ok("get wd -o custom-columns=N:.metadata.name,S:.spec.size").await?, "N S\nw 1")?;
    same(&shell.ok("get wd -l a=b -o name").await?, "")?;
    same(&shell.ok("get wd --field-selector metadata.name=w -o name").await?, "widget.ex.dev/w")
}

async fn get_watches_and_prints_a_row_for_each_change() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    let mut command = shell.command("get wd -w --output-watch-events", "");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    let output = child.stdout.take().ok_or("no output")?;
    let mut lines = BufReader::new(output).lines();
    let mut next = async || lines.next_line().await.ok().flatten().unwrap_or_default();
    same(&next().await, "EVENT NAME SIZE AGE")?;
    same(&next().await, "ADDED w 1 <age>")?;
    shell.ok(r#"patch wd w --type=merge -p '{"spec":{"size":2}}'"#).await?;
    same(&next().await, "MODIFIED w 2 <age>")?;
    shell.ok("delete wd w").await?;
    same(&next().await, "DELETED w 2 <age>")
}

async fn get_prints_built_in_kinds() -> Verdict {
    let shell = Shell::open().await?;
    shell.ok("create configmap a --from-literal=k=v").await?;
    shell.ok("create deployment web --image=nginx --replicas=2").await?;
    shell.ok("create service clusterip web --tcp=80:8080").await?;
    shell.ok("run p --image=nginx").await?;
    same(&shell.ok("get cm a").await?, "NAME DATA AGE\na 1 <age>")?;
    same(&shell.ok("get ns default").await?, "NAME STATUS AGE\ndefault Active <age>")?;
    same(
        &shell.ok("get deploy -o wide").await?,
        "NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR\nweb 0/2 0 0 <age> nginx nginx app=web",
    )?;
    has(&shell.ok("get svc web -o wide").await?, &["web ClusterIP 10.96.0.1 <none> 80/TCP", "app=web"])?;
    same(&shell.ok("get pods").await?, "NAME READY STATUS RESTARTS AGE\np 0/1 Pending 0 <age>")?;
    has(&shell.ok("get all").await?, &["pod/p", "service/web", "deployment.apps/web"])
}

async fn get_pages_through_many_objects() -> Verdict {
    let shell = Shell::open().await?;
    for name in ["a", "b", "c"] {
        shell.ok(&format!("create configmap {name}")).await?;
    }
    same(&shell.ok("get cm --chunk-size=1 -o name").await?, "configmap/a\nconfigmap/b\nconfigmap/c")?;
    let pages = shell.cluster.as_ref().map(|cluster| cluster.log().filter(|entry| entry.query.contains("continue=")));
    holds("the list is asked for in pages", pages.is_some_and(|pages| pages.len() == 2))
}

async fn describe_shows_fields_and_events() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    let uid = shell.ok("get wd w -o jsonpath={.metadata.uid}").await?;
    let event = format!(
        "apiVersion: events.k8s.io/v1\nkind: Event\nmetadata: {{name: e}}\nregarding: {{apiVersion: ex.dev/v1, kind: Widget, name: w, \
         namespace: default, uid: {uid}}}\ntype: Normal\nreason: Fetched\nnote: fetched it\naction: Fetch\nreportingController: \
         ex.dev/c\nreportingInstance: c-1\neventTime: 2026-01-01T00:00:00.000000Z\n"
    );
    shell.write("e.yaml", &event)?;
    shell.ok("create -f e.yaml").await?;
    let text = shell.ok("describe wd w").await?;
    has(&text, &["Name: w", "Kind: Widget", "Color: red", "Events:", "Normal Fetched", "fetched it"])?;
    has(&shell.ok("describe ns default").await?, &["Name: default", "Status: Active"])
}

async fn explain_prints_the_schema_of_a_custom_kind() -> Verdict {
    let shell = Shell::with_widgets().await?;
    has(&shell.ok("explain widget").await?, &["GROUP: ex.dev", "KIND: Widget", "A widget.", "spec"])?;
    has(&shell.ok("explain widget.spec.size").await?, &["FIELD: size <integer>", "How large."])?;
    has(&shell.fails("explain widget.spec.absent").await?, &[r#"field "absent" does not exist"#])
}

async fn explain_prints_fields_and_types_of_built_in_kinds() -> Verdict {
    let shell = Shell::open().await?;
    let containers = shell.ok("explain deployment.spec.template.spec.containers").await?;
    has(&containers, &["KIND: Deployment", "FIELD: containers <[]Container>", "image <string>", "env <[]EnvVar>"])?;
    has(&containers, &["name <string> -required-", "imagePullPolicy <string>", "enum: Always, IfNotPresent, Never"])?;
    has(&shell.ok("explain pod.metadata.labels").await?, &["FIELD: labels <map[string]string>"])?;
    has(&shell.ok("explain service.spec.ports").await?, &["targetPort <IntOrString>", "port <integer> -required-"])?;
    has(&shell.ok("explain crd.spec.versions.schema --recursive").await?, &["openAPIV3Schema <JSONSchemaProps>"])?;
    has(&shell.fails("explain pod.spec.absent").await?, &[r#"field "absent" does not exist"#])
}

async fn discovery_lists_kinds_by_group_and_category() -> Verdict {
    let shell = Shell::with_widgets().await?;
    same(
        &shell.ok("api-resources --api-group=ex.dev").await?,
        "NAME SHORTNAMES APIVERSION NAMESPACED KIND\nwidgets wd ex.dev/v1 true Widget",
    )?;
    has(&shell.ok("api-resources --categories=all -o name").await?, &["widgets.ex.dev", "deployments.apps", "pods"])?;
    has(&shell.ok("api-versions").await?, &["apps/v1", "ex.dev/v1", "rbac.authorization.k8s.io/v1"])?;
    has(&shell.ok("version").await?, &["Server Version: v1.32.0+evenkeel"])?;
    same(&shell.ok("get --raw /readyz").await?, "ok")
}

async fn events_are_listed_by_their_object() -> Verdict {
    let shell = Shell::open().await?;
    let event = "apiVersion: v1\nkind: Event\nmetadata: {name: e}\ninvolvedObject: {apiVersion: v1, kind: ConfigMap, name: a, namespace: default}\ntype: \
                 Warning\nreason: Odd\nmessage: that is odd\ncount: 3\nlastTimestamp: 2026-01-01T00:00:00Z\n";
    shell.write("e.yaml", event)?;
    shell.ok("create -f e.yaml").await?;
    has(
        &shell.ok("get events").await?,
        &["LAST SEEN TYPE REASON OBJECT MESSAGE", "Warning Odd configmap/a that is odd"],
    )?;
    has(&shell.ok("events --for configmap/a").await?, &["Warning", "Odd", "that is odd"])?;
    same(&shell.all("events --for configmap/b").await?, "No events found in default namespace.\nexit 0")
}

async fn wait_ends_with_the_condition_and_with_the_deletion() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    let ready = r#"patch wd w --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'"#;
    let (waited, patched) = tokio::join!(shell.ok("wait --for=condition=Ready wd/w --timeout=20s"), shell.ok(ready));
    patched?;
    same(&waited?, "widget.ex.dev/w condition met")?;
    same(&shell.ok("wait --for=jsonpath={.spec.size}=1 wd/w --timeout=20s").await?, "widget.ex.dev/w condition met")?;
    let (waited, deleted) = tokio::join!(shell.ok("wait --for=delete wd/w --timeout=20s"), shell.ok("delete wd w"));
    deleted?;
    waited.map(|_| ())
}
