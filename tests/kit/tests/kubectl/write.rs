//! Sessions that write: client-side and server-side apply, diff, patch, edit, label, replace, scale and delete.

use std::time::Duration;

use serde_json::json;

use crate::Verdict;
use crate::shell::{Shell, WIDGET, has, holds, same};

crate::sessions!(
    apply_creates_changes_or_does_nothing,
    server_side_apply_reports_conflicts_and_forces,
    server_side_apply_takes_over_from_client_side_apply,
    diff_shows_the_changes,
    patches_of_all_types_change_objects,
    edit_stores_the_edited_object,
    labels_and_annotations_are_set_and_removed,
    replace_requires_an_existing_object,
    scale_changes_the_replicas,
    delete_waits_for_finalizers_and_takes_selectors,
    a_dry_run_on_the_server_stores_nothing,
    unknown_fields_are_refused_by_the_server,
    a_deployment_is_set_and_restarted,
);

async fn apply_creates_changes_or_does_nothing() -> Verdict {
    let shell = Shell::with_widgets().await?;
    same(&shell.ok("apply -f w.yaml").await?, "widget.ex.dev/w created")?;
    same(&shell.ok("apply -f w.yaml").await?, "widget.ex.dev/w unchanged")?;
    shell.write("w.yaml", "apiVersion: ex.dev/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 3}\n")?;
    same(&shell.ok("apply -f w.yaml").await?, "widget.ex.dev/w configured")?;
    let widget = shell.object("wd w").await?;
    holds("what was left out is gone", widget["spec"] == json!({"size": 3}))?;
    shell.write("cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n")?;
    same(&shell.ok("apply -f cm.yaml").await?, "configmap/a created")?;
    same(&shell.ok("apply -f cm.yaml").await?, "configmap/a unchanged")
}

async fn server_side_apply_reports_conflicts_and_forces() -> Verdict {
    let shell = Shell::with_widgets().await?;
    same(&shell.ok("apply --server-side -f w.yaml").await?, "widget.ex.dev/w serverside-applied")?;
    shell.write("w.yaml", &WIDGET.replace("size: 1", "size: 7"))?;
    let refused = shell.fails("apply --server-side --field-manager=other -f w.yaml").await?;
    has(&refused, &[r#"Apply failed with 1 conflict: conflict with "kubectl": .spec.size"#])?;
    shell.ok("apply --server-side --field-manager=other --force-conflicts -f w.yaml").await?;
    let widget = shell.object("wd w --show-managed-fields").await?;
    let owners: Vec<&str> = widget["metadata"]["managedFields"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|e| e["manager"].as_str())
        .collect();
    holds("both own fields", owners == ["kubectl", "other"])?;
    holds("the new value is stored", widget["spec"]["size"] == 7)
}

async fn server_side_apply_takes_over_from_client_side_apply() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    shell.write("w.yaml", "apiVersion: ex.dev/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 1}\n")?;
    shell.ok("apply --server-side -f w.yaml").await?;
    let widget = shell.object("wd w").await?;
    holds("what the client applied once is released", widget["spec"] == json!({"size": 1}))
}

async fn diff_shows_the_changes() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    same(&shell.ok("diff -f w.yaml").await?, "")?;
    shell.write("w.yaml", &WIDGET.replace("size: 1", "size: 2"))?;
    let text = shell.fails("diff -f w.yaml").await?;
    has(&text, &["- size: 1", "+ size: 2", "- generation: 1", "+ generation: 2"])?;
    same(&shell.ok("get wd w -o jsonpath={.spec.size}").await?, "1")
}

async fn patches_of_all_types_change_objects() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    shell.ok(r#"patch wd w --type=merge -p '{"spec":{"size":5}}'"#).await?;
    shell.ok(r#"patch wd w --type=json -p '[{"op":"add","path":"/spec/color","value":"blue"}]'"#).await?;
    let widget = shell.object("wd w").await?;
    holds("both patches", widget["spec"] == json!({"size": 5, "color": "blue", "replicas": 2}))?;
    same(
        &shell.ok(r#"patch wd w --type=merge -p '{"spec":{"size":5}}'"#).await?,
        "widget.ex.dev/w patched (no change)",
    )?;
    let strategic = shell.fails(r#"patch wd w -p '{"spec":{"size":5}}'"#).await?;
    has(&strategic, &["application/strategic-merge-patch+json is not supported by ex.dev/v1, Kind=Widget"])?;
    has(
        &shell.fails(r#"patch wd w --type=json -p '[{"op":"test","path":"/spec/size","value":9}]'"#).await?,
        &["invalid"],
    )?;
    shell.ok("create deployment web --image=nginx").await?;
    let env = r#"{"spec":{"template":{"spec":{"containers":[{"name":"nginx","env":[{"name":"A","value":"b"}]}]}}}}"#;
    shell.ok(&format!("patch deploy web -p '{env}'")).await?;
    let container = &shell.object("deploy web").await?["spec"]["template"]["spec"]["containers"][0];
    holds("the container keeps its image", container["image"] == "nginx" && container["env"][0]["value"] == "b")
}

async fn edit_stores_the_edited_object() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    same(&shell.edited("edit wd w", "sed -i s/size:.*/size:\\ 9/").await?, "widget.ex.dev/w edited")?;
    same(&shell.ok("get wd w -o jsonpath={.spec.size}").await?, "9")?;
    has(&shell.edited("edit wd w", "true").await?, &[])
}

async fn labels_and_annotations_are_set_and_removed() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    same(&shell.ok("label wd w a=b").await?, "widget.ex.dev/w labeled")?;
    has(&shell.fails("label wd w a=c").await?, &["'a' already has a value (b), and --overwrite is false"])?;
    same(&shell.ok("annotate wd w c=d").await?, "widget.ex.dev/w annotated")?;
    same(&shell.ok("get wd -l a=b -o name").await?, "widget.ex.dev/w")?;
    same(&shell.ok("label wd w a-").await?, "widget.ex.dev/w unlabeled")?;
    has(&shell.fails("label wd w 'bad key=x'").await?, &["invalid"])
}

async fn replace_requires_an_existing_object() -> Verdict {
    let shell = Shell::with_widgets().await?;
    has(&shell.fails("replace -f w.yaml").await?, &["NotFound"])?;
    shell.ok("create -f w.yaml").await?;
    has(&shell.fails("create -f w.yaml").await?, &["AlreadyExists"])?;
    same(&shell.ok("replace -f w.yaml").await?, "widget.ex.dev/w replaced")?;
    shell.ok("replace --force -f w.yaml").await.map(|_| ())
}

async fn scale_changes_the_replicas() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    same(&shell.ok("scale wd w --replicas=5").await?, "widget.ex.dev/w scaled")?;
    same(&shell.ok("get wd w -o jsonpath={.spec.replicas}").await?, "5")?;
    has(&shell.fails("scale wd w --current-replicas=1 --replicas=6").await?, &["Expected replicas to be 1, was 5"])?;
    shell.ok("create deployment web --image=nginx").await?;
    same(&shell.ok("scale deploy web --replicas=0").await?, "deployment.apps/web scaled")?;
    same(&shell.ok("get deploy web -o jsonpath={.spec.replicas}").await?, "0")
}

async fn is_going(shell: &Shell) -> Result<bool, String> {
    Ok(shell.object("wd w").await?["metadata"]["deletionTimestamp"].is_string())
}

async fn delete_waits_for_finalizers_and_takes_selectors() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.ok("apply -f w.yaml").await?;
    let (hold, free) = (r#"'{"metadata":{"finalizers":["ex.dev/hold"]}}'"#, r#"'{"metadata":{"finalizers":null}}'"#);
    shell.ok(&format!("patch wd w --type=merge -p {hold}")).await?;
    let freed = async {
        // The finalizer is removed only after the delete request.
        while !is_going(&shell).await? {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        shell.ok(&format!("patch wd w --type=merge -p {free}")).await
    };
    let (gone, freed) = tokio::join!(shell.ok("delete wd w --timeout=20s"), freed);
    has(&gone?, &[r#"widget.ex.dev "w" deleted"#])?;
    freed?;
    has(&shell.fails("get wd w").await?, &["NotFound"])?;
    shell.ok("apply -f w.yaml").await?;
    shell.ok(&format!("patch wd w --type=merge -p {hold}")).await?;
    has(&shell.ok("delete wd w --wait=false").await?, &[r#"widget.ex.dev "w" deleted"#])?;
    holds("it is being deleted", is_going(&shell).await?)?;
    shell.ok(&format!("patch wd w --type=merge -p {free}")).await?;
    has(&shell.fails("get wd w").await?, &["NotFound"])?;
    for name in ["a", "b"] {
        shell.ok(&format!("create configmap {name}")).await?;
    }
    shell.ok("label cm a x=y").await?;
    same(&shell.ok("delete cm -l x=y").await?, r#"configmap "a" deleted"#)?;
    same(&shell.ok("delete cm --all").await?, r#"configmap "b" deleted"#)?;
    shell.ok("delete cm b --ignore-not-found").await?;
    has(&shell.fails("delete ns default").await?, &["Forbidden"])
}

async fn a_dry_run_on_the_server_stores_nothing() -> Verdict {
    let shell = Shell::with_widgets().await?;
    same(&shell.ok("apply -f w.yaml --dry-run=server").await?, "widget.ex.dev/w created (server dry run)")?;
    same(&shell.ok("get wd -o name").await?, "")?;
    shell.ok("create -f w.yaml").await?;
    shell.ok("delete wd w --dry-run=server").await?;
    shell.ok("label wd w a=b --dry-run=server").await?;
    same(&shell.ok("get wd --no-headers --show-labels").await?, "w 1 <age> <none>")
}

async fn unknown_fields_are_refused_by_the_server() -> Verdict {
    let shell = Shell::with_widgets().await?;
    shell.write("w.yaml", &WIDGET.replace("color: red", "colour: red"))?;
    has(&shell.fails("apply -f w.yaml").await?, &[r#"strict decoding error: unknown field "spec.colour""#])?;
    has(&shell.all("apply -f w.yaml --validate=warn").await?, &[r#"Warning: unknown field "spec.colour""#, "created"])?;
    shell.write("w.yaml", &WIDGET.replace("size: 1", "size: one"))?;
    has(&shell.fails("apply -f w.yaml").await?, &["spec.size: Invalid value"])
}

async fn a_deployment_is_set_and_restarted() -> Verdict {
    let shell = Shell::open().await?;
    shell.ok("create deployment web --image=nginx").await?;
    same(&shell.ok("set image deploy/web nginx=nginx:2").await?, "deployment.apps/web image updated")?;
    same(&shell.ok("rollout restart deploy/web").await?, "deployment.apps/web restarted")?;
    let deployment = shell.object("deploy web").await?;
    holds("generation", deployment["metadata"]["generation"] == 3)
}
