//! Every form of the pipeline grammar, without the prelude.
#![no_implicit_prelude]

use ::evenkeel::wiring::{Arm, Node};
use ::evenkeel::{Cx, Pass, PassResult, Reconciler};
use ::std::assert_eq;
use ::std::option::Option;
use ::std::result::Result::{self, Ok};

use super::northstar::{GitRepository, RepoError};

#[derive(::evenkeel::ConditionSet)]
#[condition_set(mod = on)]
pub enum FormCondition {
    #[condition(positive)]
    A,
    #[condition(negative)]
    NotA,
    #[condition(positive)]
    B,
    #[condition(positive)]
    C,
}

#[::evenkeel::sub_reconciler(sets(on::A, on::NotA))]
pub async fn a(repo: &GitRepository, _cx: &mut Cx) -> Result<usize, RepoError> {
    Ok(repo.spec.url.len())
}

#[::evenkeel::sub_reconciler(sets(on::B))]
pub async fn b(_repo: &GitRepository, _n: usize, _cx: &mut Cx) -> Result<&'static str, RepoError> {
    Ok("b")
}

#[::evenkeel::sub_reconciler(sets(on::C), clears(on::NotA))]
pub async fn c(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[::evenkeel::reconciler(conditions = FormCondition)]
pub async fn branches(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let n = a(repo, cx).await?;
    if n > 3 && repo.spec.url.len() > 1 {
        b(repo, n, cx).await?;
        if let Option::Some(_secret) = &repo.spec.secret {
            c(repo, cx).await?;
        } else {
            skip(c, "NoSecret");
        }
    } else if let 2 | 3 = n {
        skip(b, "Short");
        c(repo, cx).await?
    } else {
        skip(b, "TooShort");
        skip(c, "TooShort");
    }
    Ok(())
}

#[::evenkeel::reconciler(conditions = FormCondition)]
pub async fn bound(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let n: usize = if repo.spec.secret.is_some() {
        a(repo, cx).await?
    } else {
        skip(a, "NoSecret");
        0
    };
    let (text, _): (&str, u8) = if n == 1 {
        let text = b(repo, n, cx).await?;
        (text, 1)
    } else if n == 2 {
        skip(b, "Two");
        ("two", 2)
    } else {
        let text = b(repo, 3, cx).await?;
        (text, text.len() as u8)
    };
    let _ = if text.is_empty() {
        c(repo, cx).await?;
    } else {
        skip(c, "NotEmpty");
    };
    Ok(())
}

#[::evenkeel::reconciler(conditions = FormCondition)]
pub async fn joined(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let (n, text): (usize, &str) = join(a(repo, cx), b(repo, 1, cx)).await?;
    if text.len() == n {
        for _tag in [n, n + 1].iter() {
            c(repo, cx).await?;
        }
    } else {
        skip(c, "Same");
    }
    Ok(())
}

#[::evenkeel::reconciler(conditions = FormCondition)]
pub async fn three(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let all = if repo.spec.secret.is_none() {
        join(a(repo, cx), b(repo, 2, cx)).await?
    } else {
        skip(a, "Secret");
        let text = b(repo, 3, cx).await?;
        (0, text)
    };
    for (_, _byte) in ::std::iter::Iterator::enumerate(all.1.bytes()) {
        c(repo, cx).await?
    }
    Ok(())
}

#[test]
fn the_wiring_lists_each_step_once_in_source_order() {
    let names = |wiring: ::evenkeel::wiring::Wiring| -> ::std::vec::Vec<&str> {
        ::std::iter::Iterator::collect(::std::iter::Iterator::map(wiring.steps.iter(), |step| step.name))
    };
    assert_eq!(names(branches::WIRING), ["a", "b", "c"]);
    assert_eq!(names(bound::WIRING), ["a", "b", "c"]);
}

#[test]
fn the_shape_matches_the_body() {
    let Node::Branch(arms) = branches::WIRING.shape[1] else { ::std::panic!("{:?}", branches::WIRING.shape) };
    const INNER: &[Node] = &[
        Node::Call(1),
        Node::Branch(&[
            Arm { when: "let Option::Some(_secret) = &repo.spec.secret", nodes: &[Node::Call(2)] },
            Arm { when: "", nodes: &[Node::Skip { step: 2, reason: "NoSecret" }] },
        ]),
    ];
    assert_eq!(arms[0], Arm { when: "n > 3 && repo.spec.url.len() > 1", nodes: INNER });
    assert_eq!(arms[1].nodes, [Node::Skip { step: 1, reason: "Short" }, Node::Call(2)]);
    assert_eq!(arms[2].when, "");
    assert_eq!(joined::WIRING.shape[0], Node::Join(&[0, 1]));
    assert_eq!(three::WIRING.shape[1], Node::Loop { step: 2, over: "::std::iter::Iterator::enumerate(all.1.bytes())" });
}
