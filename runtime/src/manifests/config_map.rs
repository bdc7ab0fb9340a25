//! The ConfigMap with the configuration file, and its mount.

use k8s_openapi::api::core::v1::{ConfigMap, ConfigMapVolumeSource, Volume, VolumeMount};

use super::labels::Source;

/// The annotation of the pod with the hash of the keys that need a restart. A change of other keys does not restart the pods.
pub(super) const CHECKSUM: &str = "evenkeel.dev/config";

/// The name of the ConfigMap, after that of the operator.
const ENDING: &str = "-config";

/// The volume.
const VOLUME: &str = "config";

/// The folder of the file. A file that is mounted alone would never change.
const FOLDER: &str = "/etc/evenkeel";

/// The name of the file.
const FILE: &str = "config.yaml";

pub(super) fn config_map(source: Source<'_>) -> Option<ConfigMap> {
    let config = source.parts.config.as_ref()?;
    let data = [(FILE.to_owned(), config.text.clone())];
    Some(ConfigMap { metadata: source.meta(ENDING), data: Some(data.into()), ..ConfigMap::default() })
}

/// The annotation of the pod.
pub(super) fn annotation(source: Source<'_>) -> Option<(String, String)> {
    source.parts.config.as_ref().map(|config| (CHECKSUM.to_owned(), config.checksum.clone()))
}

/// The argument of the program.
pub(super) fn argument(source: Source<'_>) -> Option<String> {
    source.parts.config.as_ref().map(|_| format!("--config={FOLDER}/{FILE}"))
}

pub(super) fn volume(source: Source<'_>) -> Option<Volume> {
    let config_map = ConfigMapVolumeSource { name: source.name(ENDING), ..ConfigMapVolumeSource::default() };
    source.parts.config.as_ref().map(|_| Volume {
        name: VOLUME.to_owned(),
        config_map: Some(config_map),
        ..Volume::default()
    })
}

pub(super) fn mount(source: Source<'_>) -> Option<VolumeMount> {
    source.parts.config.as_ref().map(|_| VolumeMount {
        name: VOLUME.to_owned(),
        mount_path: FOLDER.to_owned(),
        read_only: Some(true),
        ..VolumeMount::default()
    })
}
