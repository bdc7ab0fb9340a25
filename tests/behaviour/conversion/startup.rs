//! Versions with which an operator does not start.

use std::future::ready;
use std::time::Duration;

use evenkeel::operator::Reason;
use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use evenkeel_tests::logs::Logs;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::kinds::{CRD, operator, repo, v1, v1beta1};

/// The error with which the operator does not start. The service fails with it, too.
async fn refused(operator: Operator) -> String {
    let error = operator.conversion_service().expect_err("refused");
    assert_eq!(error.reason(), Reason::Setup);
    let cluster = Cluster::start().await;
    let at_start = operator.client(cluster.client()).run_until(ready(())).await.expect_err("refused");
    assert_eq!(at_start.to_string(), error.to_string());
    error.to_string()
}

/// Another version of the kind, which is converted to `hub`.
macro_rules! version {
    ($module:ident, $hub:path, $hub_spec:path, $group:literal, $version:literal, $plural:literal $(, $scope:ident)?) => {
        pub(crate) mod $module {
            use super::*;

            #[derive(CustomResource, KubeSchema, Clone, Debug, Default, Deserialize, Serialize)]
            #[kube(group = $group, version = $version, kind = "Repo", plural = $plural $(, $scope)?)]
            pub(crate) struct RepoSpec {}

            #[convert(to = $hub)]
            impl Repo {
                fn up(_: RepoSpec) -> $hub_spec {
                    Default::default()
                }
                fn down(_: $hub_spec) -> RepoSpec {
                    RepoSpec {}
                }
            }
        }
    };
}

version!(other_group, v1::Repo, v1::RepoSpec, "other.evenkeel.dev", "v2", "repos", namespaced);
version!(other_plural, v1::Repo, v1::RepoSpec, "convert.tests.evenkeel.dev", "v2", "repositories", namespaced);
version!(other_scope, v1::Repo, v1::RepoSpec, "convert.tests.evenkeel.dev", "v2", "repos");
version!(same_version, v1::Repo, v1::RepoSpec, "convert.tests.evenkeel.dev", "v1", "repos", namespaced);
version!(of_a_spoke, v1beta1::Repo, v1beta1::RepoSpec, "convert.tests.evenkeel.dev", "v2", "repos", namespaced);
version!(
    of_another_hub,
    of_a_spoke::Repo,
    of_a_spoke::RepoSpec,
    "convert.tests.evenkeel.dev",
    "v3",
    "repos",
    namespaced
);

fn base() -> Operator {
    Operator::new("converter").reconciler::<repo>(())
}

#[tokio::test]
async fn another_group_kind_plural_or_scope_is_refused_with_both() {
    let cases = [
        (base().serves::<other_group::Repo>(), "Repo (other.evenkeel.dev/v2)", "group"),
        (base().serves::<other_plural::Repo>(), "Repo (convert.tests.evenkeel.dev/v2)", "plural"),
        (base().serves::<other_scope::Repo>(), "Repo (convert.tests.evenkeel.dev/v2)", "scope"),
    ];
    for (operator, name, what) in cases {
        let error = refused(operator).await;
        let wanted = format!("{name} is converted to Repo (convert.tests.evenkeel.dev/v1), which has another {what}");
        assert!(error.starts_with(&wanted), "{error}");
    }
}

#[tokio::test]
async fn the_version_of_the_stored_one_is_refused() {
    let error = refused(base().serves::<same_version::Repo>()).await;
    assert!(error.contains("which has the same version"), "{error}");
}

#[tokio::test]
async fn a_stored_version_that_is_converted_itself_is_refused() {
    let error = refused(base().serves::<v1beta1::Repo>().serves::<of_a_spoke::Repo>()).await;
    let wanted = "Repo (convert.tests.evenkeel.dev/v2) is converted to Repo (convert.tests.evenkeel.dev/v1beta1), which is converted itself";
    assert!(error.starts_with(wanted) && error.contains("`to = v1::..`"), "{error}");
}

#[tokio::test]
async fn two_stored_versions_of_a_kind_are_refused() {
    let error = refused(base().serves::<v1beta1::Repo>().serves::<of_another_hub::Repo>()).await;
    assert!(error.starts_with("the versions of Repo are converted to two stored ones, v1 and v2"), "{error}");
}

#[tokio::test]
async fn a_version_that_is_served_twice_is_refused() {
    let error = refused(operator().serves::<v1beta1::Repo>()).await;
    assert!(error.starts_with("Repo (convert.tests.evenkeel.dev/v1beta1) is served twice"), "{error}");
}

mod of_beta {
    use evenkeel::prelude::*;

    use super::v1beta1;
    use crate::conversion::kinds::{RepoCondition, on};

    #[sub_reconciler(sets(on::Seen))]
    async fn look(_: &v1beta1::Repo, _cx: &mut Cx) -> Result<(), ApiError> {
        Ok(())
    }

    #[reconciler(conditions = RepoCondition)]
    pub(crate) async fn old_repo(repo: &v1beta1::Repo, cx: &mut Pass<'_>) -> PassResult {
        look(repo, cx).await?;
        Ok(())
    }
}

#[tokio::test]
async fn a_reconciler_of_a_served_version_is_refused() {
    let error = refused(Operator::new("converter").reconciler::<of_beta::old_repo>(()).serves::<v1beta1::Repo>()).await;
    let wanted = "old_repo reconciles Repo (convert.tests.evenkeel.dev/v1beta1), which is not stored";
    assert!(error.starts_with(wanted) && error.contains("help: reconcile v1, the stored version"), "{error}");
}

#[tokio::test]
async fn a_version_whose_stored_one_is_not_reconciled_is_refused() {
    let of_others = Operator::new("converter").reconciler::<crate::admission::kinds::repo>(());
    let error = refused(of_others.serves::<v1beta1::Repo>()).await;
    let wanted = "Repo (convert.tests.evenkeel.dev/v1beta1) is served, but this operator does not reconcile \
                  Repo (convert.tests.evenkeel.dev/v1)";
    assert!(error.starts_with(wanted), "{error}");
}

/// A version with a path that has another name in the schema.
mod renamed {
    use super::*;

    #[derive(CustomResource, KubeSchema, Clone, Debug, Default, Deserialize, Serialize)]
    #[kube(group = "convert.tests.evenkeel.dev", version = "v1", kind = "Repo", namespaced, status = "RepoStatus")]
    pub(crate) struct RepoSpec {
        #[serde(rename = "kind")]
        sort: Option<String>,
    }

    #[status]
    pub(crate) struct RepoStatus {}

    pub(crate) mod old {
        use super::*;

        #[derive(CustomResource, KubeSchema, Clone, Debug, Default, Deserialize, Serialize)]
        #[kube(group = "convert.tests.evenkeel.dev", version = "v0", kind = "Repo", namespaced)]
        pub(crate) struct RepoSpec {}

        #[convert(to = super::Repo, lossy(spec.sort))]
        impl Repo {
            fn up(_: RepoSpec) -> super::RepoSpec {
                super::RepoSpec { sort: None }
            }
            fn down(_: super::RepoSpec) -> RepoSpec {
                RepoSpec {}
            }
        }
    }

    mod reconciled {
        use super::Repo;
        use crate::conversion::kinds::{RepoCondition, on};
        use evenkeel::prelude::*;

        #[sub_reconciler(sets(on::Seen))]
        async fn look(_: &Repo, _cx: &mut Cx) -> Result<(), ApiError> {
            Ok(())
        }

        #[reconciler(conditions = RepoCondition)]
        pub(crate) async fn renamed(repo: &Repo, cx: &mut Pass<'_>) -> PassResult {
            look(repo, cx).await?;
            Ok(())
        }
    }
    pub(crate) use reconciled::renamed;
}

#[tokio::test]
async fn a_path_that_the_schema_does_not_have_is_refused() {
    let error = refused(Operator::new("x").reconciler::<renamed::renamed>(()).serves::<renamed::old::Repo>()).await;
    let wanted =
        "the path spec.sort of Repo (convert.tests.evenkeel.dev/v0) is not in Repo (convert.tests.evenkeel.dev/v1)";
    assert!(error.starts_with(wanted) && error.contains("the schema has `kind`"), "{error}");
}

/// How an operator ends that is stopped when it has started, if this CRD is installed.
async fn with_installed(definition: &CustomResourceDefinition) -> evenkeel::operator::Result {
    let cluster = Cluster::start().await;
    cluster.seed(definition).await.unwrap();
    let (logs, _guard) = Logs::capture();
    let seen = logs.clone();
    let started = async move {
        while seen.with(&["started"]).is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    operator().client(cluster.client()).run_until(started).await
}

#[tokio::test]
async fn the_installed_crd_must_convert_all_versions() {
    let printed: CustomResourceDefinition = operator().definitions().remove(0);
    with_installed(&printed).await.unwrap();
    let refused = async |change: &dyn Fn(&mut CustomResourceDefinition)| {
        let mut definition = printed.clone();
        change(&mut definition);
        let error = with_installed(&definition).await.unwrap_err();
        assert!(error.to_string().contains("crds | kubectl apply -f -"), "{error}");
        error.to_string().lines().next().unwrap().to_owned()
    };
    let crd = format!("the installed CRD {CRD}");
    let error = refused(&|definition| definition.spec.conversion = None).await;
    assert_eq!(error, format!("{crd} calls no webhook to convert v1beta1"));
    let error = refused(&|definition| definition.spec.versions[1].served = false).await;
    assert_eq!(error, format!("{crd} does not serve v1beta1, but v1, v1alpha1"));
    let error = refused(&|definition| {
        let schema = definition.spec.versions[1].schema.as_mut().unwrap().open_api_v3_schema.as_mut().unwrap();
        let spec = schema.properties.as_mut().unwrap().get_mut("spec").unwrap();
        spec.properties.as_mut().unwrap().remove("megabytes");
    });
    assert_eq!(error.await, format!("{crd} does not fit the program in v1beta1: .spec.megabytes is missing"));
}

#[test]
fn without_versions_the_service_converts_nothing() {
    let service = base().conversion_service().unwrap();
    assert_eq!(format!("{service:?}"), "ConversionService { paths: \"\", .. }");
    let of_all = operator().serves::<of_another_kind::Team>().conversion_service();
    assert!(of_all.unwrap_err().to_string().contains("does not reconcile"));
}

mod of_another_kind {
    use super::*;

    #[derive(CustomResource, KubeSchema, Clone, Debug, Default, Deserialize, Serialize)]
    #[kube(group = "convert.tests.evenkeel.dev", version = "v1", kind = "Team", namespaced)]
    pub(crate) struct TeamSpec {}

    mod new {
        use super::*;

        #[derive(CustomResource, KubeSchema, Clone, Debug, Default, Deserialize, Serialize)]
        #[kube(group = "convert.tests.evenkeel.dev", version = "v2", kind = "Team", namespaced)]
        pub(crate) struct TeamSpec {}
    }

    #[convert(to = new::Team)]
    impl Team {
        fn up(_: TeamSpec) -> new::TeamSpec {
            new::TeamSpec {}
        }
        fn down(_: new::TeamSpec) -> TeamSpec {
            TeamSpec {}
        }
    }
}
