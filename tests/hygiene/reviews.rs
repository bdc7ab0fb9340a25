//! Reviews of writes: without the prelude, with types named as those of the standard library, and under another path.
#![no_implicit_prelude]

use super::northstar::GitRepository;

/// Under the usual path.
mod shadowed {
    use ::evenkeel::{Denial, Review, field};

    use super::GitRepository;

    mod core {}
    mod std {}
    struct Result;
    enum Option {}
    struct Some;
    struct None;
    struct Vec;
    struct Box;
    trait Send {}
    trait Sync {}
    trait Sized {}
    trait Future {}
    fn vec() {}

    /// A dependency behind a trait.
    pub trait Words: ::std::marker::Send + ::std::marker::Sync {
        /// A word.
        fn word(&self) -> ::std::string::String;
    }

    /// A dependency with the name of a generated parameter.
    pub struct D(pub u8);

    #[::evenkeel::validate(on(create, update), reads(::k8s_openapi::api::core::v1::Secret), when = "true")]
    pub async fn checked(
        repo: &GitRepository,
        old: ::std::option::Option<&GitRepository>,
        d: &D,
        words: &dyn Words,
        cx: &mut Review,
    ) -> ::std::result::Result<(), Denial> {
        let _ = (old, d.0);
        if repo.spec.url.is_empty() {
            cx.deny(field!(spec.url), words.word());
            cx.deny(field!(metadata.annotations?["a.b/c"]), "x");
        }
        let finalizers = &repo.metadata.finalizers;
        for i in 0..finalizers.as_ref().map_or(0, ::std::vec::Vec::len) {
            cx.deny(field!(metadata.finalizers?[i]), "none");
        }
        cx.get::<::k8s_openapi::api::core::v1::Secret>("token").await?;
        ::std::result::Result::Ok(())
    }

    #[::evenkeel::mutate]
    pub fn changed(repo: &mut GitRepository) -> ::std::result::Result<(), Denial> {
        repo.spec.url.push('/');
        ::std::result::Result::Ok(())
    }
}

/// Under another path.
mod renamed {
    use super::super::renamed::vendor::keel::{self, Denial, Review, field};
    use super::GitRepository;

    #[keel::validate(crate = crate::renamed::vendor::keel)]
    pub fn again(_repo: &GitRepository, cx: &mut Review) -> ::std::result::Result<(), Denial> {
        ::std::result::Result::Err(cx.denial(field!(spec.url), "no"))
    }

    #[keel::mutate(crate = crate::renamed::vendor::keel)]
    pub async fn moved(repo: &mut GitRepository, _size: &u8) -> ::std::result::Result<(), Denial> {
        repo.spec.url.clear();
        ::std::result::Result::Ok(())
    }
}

#[::std::prelude::v1::test]
fn functions_of_all_forms_are_registered() {
    struct Hello;
    impl shadowed::Words for Hello {
        fn word(&self) -> ::std::string::String {
            ::std::string::ToString::to_string("hello")
        }
    }
    let words = ::std::boxed::Box::new(Hello) as ::std::boxed::Box<dyn shadowed::Words>;
    let operator =
        ::evenkeel::Operator::new("reviewer").reconciler::<super::northstar::git_repository>(super::northstar::Git);
    let operator = operator.admission::<(shadowed::checked, shadowed::changed, renamed::again, renamed::moved)>((
        shadowed::D(1),
        words,
        2,
    ));
    let service = ::std::format!("{:?}", operator.admission_service().unwrap());
    for path in ["/admit/again", "/admit/checked", "/admit/mutate-"] {
        ::std::assert!(service.contains(path), "{service}");
    }
}
