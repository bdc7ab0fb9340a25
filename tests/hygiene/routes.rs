//! Routes: without the prelude, with types named as those of the standard library, and under another path.
#![no_implicit_prelude]

use super::northstar::GitRepository;

/// Under the usual path.
mod shadowed {
    use ::evenkeel::routes::{Call, Reply};

    use super::GitRepository;

    mod core {}
    mod std {}
    struct Result;
    enum Option {}
    struct Some;
    struct None;
    struct Box;
    trait Send {}
    trait Sync {}
    trait Sized {}
    trait Future {}

    /// A dependency behind a trait.
    pub trait Words: ::std::marker::Send + ::std::marker::Sync {
        /// A word.
        fn word(&self) -> ::std::string::String;
    }

    /// A dependency with the name of a generated parameter.
    pub struct D(pub u8);

    #[::evenkeel::route(get, "/checked/{id}", of = GitRepository, resource = "gitrepositories/checked", timeout = "5s")]
    pub async fn checked(
        repo: &GitRepository,
        d: &D,
        words: &dyn Words,
        request: Call<'_>,
    ) -> ::std::result::Result<Reply, Reply> {
        let _ = (&repo.spec.url, d.0, request.param("id"));
        ::std::result::Result::Ok(Reply::text(words.word()))
    }

    #[::evenkeel::route(delete, "/checked", of = GitRepository)]
    pub fn gone(_repo: &GitRepository) -> Reply {
        Reply::empty()
    }
}

/// Under another path.
mod renamed {
    use super::super::renamed::vendor::keel::{self, routes::Reply};
    use super::GitRepository;

    #[keel::route(post, "/again", of = GitRepository, crate = crate::renamed::vendor::keel)]
    pub async fn again(_repo: &GitRepository, _size: &u8) -> Reply {
        Reply::empty()
    }
}

#[::std::prelude::v1::test]
fn routes_of_all_forms_are_registered() {
    struct Hello;
    impl shadowed::Words for Hello {
        fn word(&self) -> ::std::string::String {
            ::std::string::ToString::to_string("hello")
        }
    }
    let words = ::std::boxed::Box::new(Hello) as ::std::boxed::Box<dyn shadowed::Words>;
    let operator = ::evenkeel::Operator::new("routes");
    let operator = operator.routes::<(shadowed::checked, shadowed::gone, renamed::again)>((shadowed::D(1), words, 2));
    ::std::assert_eq!(operator.contract().routes.len(), 3);
}
