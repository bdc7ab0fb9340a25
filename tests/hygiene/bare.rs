//! Without the prelude: expansions name everything by its full path. (Not `#[status]`: the derive of schemars wants the prelude.)
#![no_implicit_prelude]

use ::evenkeel::{Cx, Pass, PassResult};

use super::northstar::{GitRepository, GitRepositoryStatus};

#[derive(::evenkeel::ConditionSet)]
pub enum BareCondition {
    #[condition(positive)]
    Checked,
    #[condition(negative)]
    Broken,
    #[condition(positive)]
    Well,
}

#[derive(::std::fmt::Debug, ::evenkeel::ReconcileError)]
pub enum BareError {
    #[class(waiting(poll = "1m"))]
    Busy,
    #[class(waiting(poll = requeue))]
    Later,
    #[class(transient, retry = "fast", severity = "info")]
    Soon,
    #[class(stalled, reason = "NoUrl")]
    Wrong { url: ::std::string::String },
    #[class(transparent)]
    Call(::evenkeel::ApiError),
}

impl ::std::fmt::Display for BareError {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        f.write_str("bare")
    }
}

#[::evenkeel::sub_reconciler(
    sets(bare_condition::Checked, bare_condition::Broken),
    external,
    actions(force, hard_reset)
)]
pub async fn check(_repo: &GitRepository, cx: &mut Cx) -> ::std::result::Result<(), BareError> {
    let _fires: bool = cx.requested("force") || cx.requested("hard_reset");
    ::std::result::Result::Ok(())
}

#[::evenkeel::cleanup(of = check)]
pub async fn uncheck(_repo: &GitRepository, _cx: &mut Cx) -> ::std::result::Result<(), BareError> {
    ::std::result::Result::Ok(())
}

#[::evenkeel::observe(sets(bare_condition::Checked))]
pub async fn look(_repo: &GitRepository, _cx: &mut Cx) -> ::std::result::Result<(), BareError> {
    ::std::result::Result::Ok(())
}

#[::evenkeel::postcondition(sets(bare_condition::Well))]
pub async fn well(_repo: &GitRepository, _cx: &mut Cx) -> ::std::result::Result<(), BareError> {
    ::std::result::Result::Ok(())
}

#[::evenkeel::hook(after_delete)]
pub async fn gone(_repo: &GitRepository) -> ::std::result::Result<(), BareError> {
    ::std::result::Result::Ok(())
}

#[::evenkeel::daemon(timeout = "1m")]
pub async fn follow(_repo: &GitRepository, _daemon: &::evenkeel::Daemon) -> ::std::result::Result<(), BareError> {
    ::std::result::Result::Ok(())
}

#[::evenkeel::claim]
pub async fn take(_repo: &mut GitRepository) -> ::std::result::Result<(), BareError> {
    ::std::result::Result::Ok(())
}

pub fn report(_repo: &GitRepository, end: &mut ::evenkeel::hook::PassEnd<'_, GitRepositoryStatus>) {
    end.silence();
}

#[::evenkeel::reconciler(
    conditions = BareCondition,
    requeue = spec.interval,
    timeout = "30s",
    revision = 2,
    finalizer = "example.com/bare",
    field_manager = "bare",
    previously(field_managers("old"), finalizers("example.com/old")),
    request_annotation = "example.com/requestedAt",
    triggers(spec, labels, annotations("example.com/tier")),
    suspend(field = spec.suspend, annotation, record),
    policies(key = "example.com/policy"),
    observe = self::look,
    claim = self::take,
    hooks(self::gone),
    daemons(self::follow),
    on_end = self::report,
    depends_on = spec.depends_on,
)]
pub async fn bare(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    check(repo, cx).await?;
    well(repo, cx).await?;
    ::std::result::Result::Ok(())
}

pub struct BareStruct {
    count: u8,
}

#[::evenkeel::reconciler(conditions = BareCondition, policies, on_end = report)]
impl BareStruct {
    pub async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        let _count: u8 = self.check(repo, cx).await?;
        ::std::result::Result::Ok(())
    }

    #[::evenkeel::sub_reconciler(
        sets(bare_condition::Checked, bare_condition::Broken, bare_condition::Well),
        external,
        actions(force)
    )]
    async fn check(&self, _repo: &GitRepository, cx: &mut Cx) -> ::std::result::Result<u8, BareError> {
        let _fires: bool = cx.requested("force");
        ::std::result::Result::Ok(self.count)
    }

    #[::evenkeel::observe(sets(bare_condition::Checked))]
    async fn look(&self, _repo: &GitRepository, _cx: &mut Cx) -> ::std::result::Result<(), BareError> {
        ::std::result::Result::Ok(())
    }

    #[::evenkeel::cleanup(of = check)]
    async fn uncheck(&self, _repo: &GitRepository, _cx: &mut Cx) -> ::std::result::Result<(), BareError> {
        ::std::result::Result::Ok(())
    }
}
