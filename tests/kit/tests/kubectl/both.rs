//! Runs the same session on the embedded server and on a real one, and compares the output of kubectl.

use std::path::PathBuf;

use crate::Verdict;
use crate::shell::{DEFINITION, Shell, WIDGET, steady};

crate::sessions!(kubectl_output_matches_a_real_server, kubectl_explain_matches_a_real_server);

/// The commands in order; the object exists from the start.
const SESSION: [&str; 26] = [
    "create -f w.yaml",
    "create -f w.yaml",
    "get keels",
    "get keels w -o wide",
    "get keels w -o yaml",
    "get keels absent",
    "describe keels w",
    "label keels w a=b",
    "annotate keels w c=d",
    r#"patch keels w --type=merge -p '{"spec":{"size":5}}'"#,
    r#"patch keels w --type=json -p '[{"op":"test","path":"/spec/size","value":9}]'"#,
    r#"patch keels w -p '{"spec":{"size":5}}'"#,
    r#"patch keels w --type=merge -p '{"spec":{"size":"x"}}'"#,
    "scale keels w --replicas=3",
    "get keels w -o jsonpath={.spec}",
    "get keels --show-labels",
    "apply --server-side -f w.yaml",
    "apply --server-side --field-manager=other -f v.yaml",
    "apply -f w.yaml",
    "diff -f v.yaml",
    "explain keel.spec",
    "api-resources --api-group=keel.ex.dev",
    "get keels -l a=b -o name",
    "get keels --field-selector metadata.name=w -o name",
    "delete keels w",
    "get keels",
];

/// A shell for the embedded server, and one for the modern real server if it runs.
async fn shells() -> Result<Option<(Shell, Shell)>, String> {
    let Some(servers) = std::env::var_os("EVENKEEL_REAL_APISERVER").map(PathBuf::from) else {
        println!("kubectl: skipped beside real servers: EVENKEEL_REAL_APISERVER is not set, see tests/kit/real.sh");
        return Ok(None);
    };
    Ok(Some((Shell::open().await?, Shell::at(servers.join("kubeconfig-modern"))?)))
}

async fn kubectl_output_matches_a_real_server() -> Verdict {
    let Some((kit, real)) = shells().await? else { return Ok(()) };
    let (kit, real) = (session(&kit).await?, session(&real).await?);
    let differ = SESSION.iter().zip(kit.iter().zip(&real)).filter(|(_, (kit, real))| kit != real);
    let differ: Vec<String> = differ
        .map(|(line, (kit, real))| format!("kubectl {line}\nprints\n{kit}\nand beside a real server\n{real}"))
        .collect();
    if differ.is_empty() { Ok(()) } else { Err(differ.join("\n\n")) }
}

/// The output of each command of the session.
async fn session(shell: &Shell) -> Result<Vec<String>, String> {
    let own = |text: &str| text.replace("ex.dev", "keel.ex.dev").replace("widget", "keel").replace("Widget", "Keel");
    shell.write("crd.json", &own(DEFINITION).replace(r#""wd""#, r#""kl""#))?;
    shell.write("w.yaml", &own(WIDGET))?;
    shell.write("v.yaml", &own(WIDGET).replace("size: 1", "size: 8"))?;
    shell.ok("apply -f crd.json").await?;
    shell.ok("wait --for=condition=Established crd/keels.keel.ex.dev --timeout=20s").await?;
    shell.all("delete keels --all").await?;
    let mut printed = Vec::new();
    for line in SESSION {
        printed.push(steady(&shell.all(line).await?));
    }
    shell.ok("delete -f crd.json").await?;
    Ok(printed)
}

/// Kinds from all groups that both servers have.
const EXPLAINED: [&str; 10] = [
    "configmap",
    "cronjob",
    "daemonset",
    "deployment",
    "hpa",
    "ingress",
    "lease",
    "networkpolicy",
    "poddisruptionbudget",
    "statefulset",
];

async fn kubectl_explain_matches_a_real_server() -> Verdict {
    let Some((kit, real)) = shells().await? else { return Ok(()) };
    for kind in EXPLAINED {
        let line = format!("explain {kind} --recursive");
        let (kit, real) = (fields(&kit.ok(&line).await?), fields(&real.ok(&line).await?));
        if kit != real {
            return Err(format!("kubectl {line}\nprints\n{kit}\nand beside a real server\n{real}"));
        }
    }
    Ok(())
}

/// The part of the output after the description.
fn fields(explained: &str) -> String {
    explained.split_once("FIELDS:").map(|(_, fields)| fields.to_owned()).unwrap_or_default()
}
