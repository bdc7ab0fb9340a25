//! The operator under trial: a parcel owns a ConfigMap, reads a Secret, and stores a file that only its cleanup removes.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::ApiError;
use evenkeel::prelude::*;
use evenkeel_tests::listener::listening;
use evenkeel_tests::trial::process::end_with_parent;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{Client, Config, CustomResource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The variable with the address of the API server.
pub const API: &str = "EVENKEEL_TRIAL_API";
/// The variable with the folder of the files.
pub const FOLDER: &str = "EVENKEEL_TRIAL_FOLDER";

/// What a parcel should be.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "trials.evenkeel.dev", version = "v1", kind = "Parcel", namespaced, status = "ParcelStatus")]
pub struct ParcelSpec {
    /// What its ConfigMap and its file hold.
    pub text: String,
    /// A Secret, the key `k` of which is added to the text.
    pub secret: Option<String>,
    /// What its body does: `invalid` stalls, `panic` panics, `hog` keeps a thread busy for a second.
    pub act: Option<String>,
}

/// What a parcel is.
#[evenkeel::status]
pub struct ParcelStatus {
    /// The text that is stored.
    pub stored: Option<String>,
}

/// How a parcel is doing.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum ParcelCondition {
    /// The Secret was read, if there is one.
    #[condition(positive)]
    Readable,
    /// The ConfigMap holds the text.
    #[condition(positive)]
    Packed,
    /// The file holds the text.
    #[condition(positive)]
    Stored,
}

/// What can go wrong with a parcel.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ParcelError {
    /// Stalled.
    #[error("the parcel is not valid")]
    #[class(stalled)]
    Invalid,
    /// Waiting for a Secret.
    #[error(transparent)]
    #[class(waiting)]
    SecretMissing(#[from] Absent<Secret>),
    /// A call failed.
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] ApiError),
    /// The disk failed.
    #[error("the file: {0}")]
    #[class(transient)]
    Disk(#[from] std::io::Error),
}

/// The folder of the files.
#[derive(Clone, Debug)]
pub struct Folder(Arc<PathBuf>);

impl Folder {
    fn file(&self, parcel: &Parcel) -> PathBuf {
        self.0.join(parcel.name_any())
    }
}

/// Reads the text of the parcel.
#[sub_reconciler(sets(on::Readable), watches(Secret, by_name))]
async fn read(parcel: &Parcel, cx: &mut Cx<'_, read>) -> Result<String, ParcelError> {
    match parcel.spec.act.as_deref() {
        Some("invalid") => return Err(ParcelError::Invalid),
        Some("panic") => panic!("as the trial wished"),
        // Blocks the thread, like a body with a long computation.
        Some("hog") => std::thread::sleep(Duration::from_secs(1)),
        _ => {}
    }
    let Some(name) = &parcel.spec.secret else { return Ok(parcel.spec.text.clone()) };
    let secret = cx.require::<Secret>(name).await?;
    let value = secret.data.as_ref().and_then(|data| data.get("k")).map(|value| value.0.clone()).unwrap_or_default();
    Ok(format!("{} {}", parcel.spec.text, String::from_utf8_lossy(&value)))
}

/// Applies the ConfigMap.
#[sub_reconciler(sets(on::Packed), owns(ConfigMap))]
async fn pack(parcel: &Parcel, text: &str, cx: &mut Cx<'_, pack>) -> Result<(), ParcelError> {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(parcel.name_any());
    map.data = Some([("text".to_owned(), text.to_owned())].into());
    cx.apply(&map).await?;
    Ok(())
}

/// Writes the file.
#[sub_reconciler(sets(on::Stored), external)]
async fn store(parcel: &Parcel, folder: &Folder, text: &str, cx: &mut Cx<'_, store>) -> Result<(), ParcelError> {
    std::fs::write(folder.file(parcel), text)?;
    cx.status().stored = Some(text.to_owned());
    Ok(())
}

/// Removes the file.
#[cleanup(of = store)]
async fn discard(parcel: &Parcel, folder: &Folder, _cx: &mut Cx<'_, store>) -> Result<(), ParcelError> {
    match std::fs::remove_file(folder.file(parcel)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// The pipeline.
#[reconciler(conditions = ParcelCondition, requeue = "10m", timeout = "20s")]
async fn parcel(parcel: &Parcel, folder: &Folder, cx: &mut Pass<'_>) -> PassResult {
    let text = read(parcel, cx).await?;
    pack(parcel, &text, cx).await?;
    store(parcel, folder, &text, cx).await?;
    Ok(())
}

/// The file in which the operator writes the address of its listener.
pub const LISTENS: &str = "listens";

/// The operator with its files in this folder.
pub fn operator(folder: PathBuf) -> Operator {
    Operator::new("trial-operator").namespaces(["default"]).reconciler::<parcel>(Folder(Arc::new(folder)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the operator that the trials start and kill"]
async fn the_operator_process() {
    let (Ok(api), Ok(folder)) = (env::var(API), env::var(FOLDER)) else { return };
    end_with_parent();
    let filter = tracing_subscriber::EnvFilter::from_default_env();
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).try_init();
    let mut config = Config::new(api.parse().unwrap());
    config.default_retry = false;
    // Like a cluster, which restarts a pod whose program ends.
    loop {
        let client = Client::try_from(config.clone()).unwrap();
        let (operator, address) = listening(operator(folder.clone().into()));
        std::fs::write(PathBuf::from(&folder).with_file_name(LISTENS), address.to_string()).unwrap();
        let ended = operator.client(client).run_until(std::future::pending()).await;
        println!("the operator ended, and is started again: {ended:?}");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
