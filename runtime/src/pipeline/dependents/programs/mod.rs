//! Sources that are programs: `helm template` and `kustomize build`.

mod helm_chart;
mod hooks;
mod kustomization;
mod memo;
mod process;
mod program;

pub use self::helm_chart::HelmChart;
pub use self::kustomization::Kustomization;
