//! What holds for every expansion: no panic on any input, and no path but that of the runtime.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

type Macro = fn(TokenStream, &TokenStream) -> TokenStream;

/// Each macro with arguments and an item that are right, under `crate = ::keel`.
fn samples() -> Vec<(Macro, TokenStream, TokenStream)> {
    let functions = [validate(), mutate(), field(), route(), convert()];
    reconcilers().into_iter().chain(functions).collect()
}

/// The macros of a reconciler.
fn reconcilers() -> Vec<(Macro, TokenStream, TokenStream)> {
    let set = quote! {
        #[condition_set(mod = on, summary(Up(A, D)), crate = ::keel)]
        pub enum C {
            #[condition(positive)] A,
            #[condition(negative, reasons(New = "A newer one", Corrupt))] B,
            #[condition(bipolar)] D,
        }
    };
    let error = quote! {
        #[reconcile_error(crate = ::keel)]
        pub enum E<T> {
            #[class(waiting)] A(Absent<T>),
            #[class(waiting(poll = "1m"), reason = "Busy")] B { x: u8 },
            #[class(stalled, event = "none", log = "warn", notify = false)] C,
            #[class(waiting(poll = self.after))] D { after: Duration },
            #[class(waiting(poll = self.0), event = "normal")] F(Interval),
        }
    };
    let status = quote! {
        #[derive(Clone)]
        pub struct S { pub a: Option<u8>, pub b: Vec<u8>, #[serde(default)] pub c: u8 }
    };
    let step_args = quote! {
        sets(on::A, on::B), clears(on::C), reads(K), watches(L, by_name), watches(M, labels = "a=b"),
        polls(N), owns(O), external, timeout = "30s", marker = Fetch, crate = ::keel,
        dependents(P, templates(MANIFESTS), kinds("a.io/v1/Fish" = "fish", cluster("a.io/v1/Sea")), update = replace)
    };
    let step = quote! {
        /// Doc.
        pub async fn fetch(repo: &Repo, git: &Git, cx: &mut Cx) -> Result<Commit, E> {
            cx.set(on::A, ConditionStatus::True, "Fine", "m");
            Ok(git.fetch(repo).await?)
        }
    };
    let reconciler_args = quote! {
        conditions = C, requeue = spec.interval, retry = pause, on_end = hooks::report, timeout = "1m", revision = 2, finalizer = "a.b/c", field_manager = "m",
        triggers(spec, labels("a.b/tier"), annotations),
        daemons(follow), previously(field_managers("x"), finalizers("d.e/f")), crate = ::keel
    };
    vec![
        (|_, item| crate::condition_set::derive(item.clone()), TokenStream::new(), set),
        (|_, item| crate::reconcile_error::derive(item.clone()), TokenStream::new(), error),
        (crate::status::attribute, quote!(crate = ::keel), status),
        (crate::sub_reconciler::attribute, step_args, step),
        cleanup(),
        daemon(),
        (crate::reconciler::attribute, reconciler_args, reconciler()),
        (
            crate::reconciler::attribute,
            quote!(conditions = C, on_end = report, mod = repos, crate = ::keel),
            structure(),
        ),
        watcher(),
        watcher_function(),
        rule(),
        policy(),
    ]
}

/// A rule about a part of an object, with each form of expression.
fn rule() -> (Macro, TokenStream, TokenStream) {
    let args = quote! {
        of = K, at = spec.secret, field = name, message = "m", reason = "FieldValueForbidden", crate = ::keel
    };
    let item = quote! {
        /// Doc.
        pub fn fits(new: &Secret, old: &Secret) -> bool {
            if new.name == old.name && !new.list.is_empty() {
                new.size + 1 <= -old.size * 2 || new.ratio < 0.5
            } else {
                new.kind == Tier::Gold
                    && new.tag.as_deref().is_some_and(|tag| tag.starts_with("v") && tag.len() != 3)
                    && new.list.iter().all(|item| item.chars().count() > 1)
                    && new.map.iter().any(|(key, value)| key.contains(value.as_str()))
                    && new.note == Some("a".to_string()) && new.other != None
            }
        }
    };
    (crate::rule::attribute, args, item)
}

/// A rule about a request.
fn policy() -> (Macro, TokenStream, TokenStream) {
    let item = quote! {
        fn robots_tag(new: &K, old: Option<&K>, request: &Request) -> bool {
            new.spec.tag.is_none()
                || old.is_some_and(|old| old.spec.tag == new.spec.tag)
                || request.user.groups.contains("robots")
        }
    };
    (crate::rule::attribute, quote!(of = K, crate = ::keel), item)
}

/// A watcher as a struct.
fn watcher() -> (Macro, TokenStream, TokenStream) {
    let args = quote! {
        conditions = C, sets(on::A), on(generation, labels("a.b/tier")), settled, leave = "delete", labels = "a=b", reads(K),
        retry = pace, tries = 6, requeue = "1h", crate = ::keel
    };
    let item = quote! {
        impl Infos {
            /// Doc.
            pub async fn add(&self, info: &Info, cx: &mut Cx) -> Result<(), E> { self.client.put(info).await }
            async fn update(&self, old: &Info, info: &Info) -> Result<(), E> { Ok(()) }
            async fn sync(&self, info: &Info) -> Result<(), E> { Ok(()) }
            async fn delete(&self, info: &Info, cx: &mut Cx) -> Result<(), E> { Ok(()) }
            fn other(&self) -> u8 { 1 }
        }
    };
    (crate::watcher::attribute, args, item)
}

/// A review that may refuse a write.
fn validate() -> (Macro, TokenStream, TokenStream) {
    let args = quote! {
        on(create, update, delete), failure = "ignore", timeout = "10s", when = "object.spec.x", objects = "a=b", namespaces = "c in (d)",
        unchanged, subresource = "scale", reads(K, L), watches(M, labels = "a=b"), anyway, crate = ::keel
    };
    let item = quote! {
        /// Doc.
        pub async fn team_exists(
            repo: &Repo, old: Option<&Repo>, teams: &Teams, git: &dyn Git, cx: &mut Review
        ) -> Result<(), Denial> {
            cx.deny(field!(spec.items[i].r#type?.name), "x");
            Ok(())
        }
    };
    (|args, item| crate::admission::attribute(crate::admission::What::Validate, args, item), args, item)
}

/// A review that may change an object.
fn mutate() -> (Macro, TokenStream, TokenStream) {
    let item = quote!(
        fn who(repo: &mut Repo, cx: &mut Review) -> Result<(), Denial> {
            Ok(())
        }
    );
    let attribute = |args, item: &TokenStream| crate::admission::attribute(crate::admission::What::Mutate, args, item);
    (attribute, quote!(on(create), crate = ::keel), item)
}

/// A function that answers requests of users.
fn route() -> (Macro, TokenStream, TokenStream) {
    let args = quote!(get, "/log/{id}", of = Repo, resource = "repos/log", timeout = "10s", crate = ::keel);
    let item = quote! {
        /// Doc.
        pub async fn log(repo: &Repo, git: &dyn Git, size: &Size, request: Call<'_>) -> Result<Reply, E> {
            Ok(git.log(request.param("id")).await?)
        }
    };
    (crate::route::attribute, args, item)
}

/// A conversion, with each argument.
fn convert() -> (Macro, TokenStream, TokenStream) {
    let args =
        quote!(to = v1::K, stash(spec.login), lossy(spec.tags, status.r#type.x), deprecated = "d", crate = ::keel);
    let item = quote! {
        /// Doc.
        impl v1beta1::K {
            const X: u8 = 1;
            fn up(old: Old) -> New { New { a: old.a } }
            fn down(new: New) -> Old { Old { a: new.a } }
            pub fn up_status(old: v1beta1::Status) -> v1::Status { old.into() }
            fn down_status(new: v1::Status) -> v1beta1::Status { new.into() }
            fn other(&self) -> u8 { 1 }
        }
    };
    (crate::convert::attribute, args, item)
}

/// The path of a field, as a constant, since an expression is no file.
fn field() -> (Macro, TokenStream, TokenStream) {
    let expand = |_, item: &TokenStream| {
        let path = crate::admission::field::expand(quote!(::keel; #item));
        quote!(const F: () = { #path };)
    };
    (expand, TokenStream::new(), quote!(spec.items[i + 1].secret?.r#type.labels["a.b/c"].kind_ as "kind"))
}

/// A watcher as a function.
fn watcher_function() -> (Macro, TokenStream, TokenStream) {
    let args = quote!(bare, finalizer = "a.b/c", on(any), owns(K), crate = ::keel);
    let item = quote! {
        /// Doc.
        pub async fn infos(event: Event<'_, Namespace>, client: &Client, other: &Other, cx: &mut Cx) -> Result<(), E> {
            client.put(event.object()).await
        }
    };
    (crate::watcher::attribute, args, item)
}

/// A reconciler as a function, with each kind of statement.
fn reconciler() -> TokenStream {
    quote! {
        pub async fn repos(repo: &Repo, git: &dyn Git, b: &B, cx: &mut Pass<'_>) -> PassResult {
            let commit: Commit = fetch(repo, git, cx).await?;
            steps::store(repo, b, &commit, cx).await?;
            let found = if commit.big() {
                check(repo, cx).await?;
                let found = verify(repo, cx).await?;
                Some(found)
            } else if let Some(key) = &repo.spec.key {
                skip(check, "Keyed");
                verify(repo, key, cx).await?
            } else {
                skip(check, "Small");
                skip(verify, "Small");
                None
            };
            let (one, _) = join(load(repo, &found, cx), scan(repo, cx)).await?;
            for item in &one.items {
                publish(repo, item, cx).await?;
            }
            Ok(())
        }
    }
}

/// A cleanup.
fn cleanup() -> (Macro, TokenStream, TokenStream) {
    let cleanup = quote! {
        async fn remove(repo: &Repo, git: &Git, cx: &mut Cx<'_, store>) -> Result<(), E> { Ok(()) }
    };
    (crate::cleanup::attribute, quote!(of = store, crate = ::keel), cleanup)
}

/// A daemon.
fn daemon() -> (Macro, TokenStream, TokenStream) {
    let daemon = quote!(
        async fn follow(repo: &Repo, daemon: &Daemon) -> Result<(), E> {
            Ok(())
        }
    );
    let attribute = |args, item: &TokenStream| crate::lifecycle::attribute(crate::lifecycle::What::Daemon, args, item);
    (attribute, quote!(timeout = "1m", crate = ::keel), daemon)
}

/// A reconciler as a struct.
fn structure() -> TokenStream {
    quote! {
        /// Doc.
        impl Repos {
            const X: u8 = 1;
            pub async fn reconcile(&self, repo: &Repo, cx: &mut Pass<'_>) -> PassResult {
                let commit: Commit = self.fetch(repo, cx).await?;
                steps::store(repo, &self.git, &commit, cx).await?;
                Ok(())
            }
            #[sub_reconciler(sets(on::A), external)]
            async fn fetch(&self, repo: &Repo, cx: &mut Cx) -> Result<Commit, E> { self.git.fetch(repo) }
            #[cleanup(of = fetch)]
            async fn remove(&self, repo: &Repo, cx: &mut Cx) -> Result<(), E> { Ok(()) }
            #[daemon]
            async fn follow(&self, repo: &Repo, daemon: &Daemon) -> Result<(), E> { Ok(()) }
            fn other(&self) -> u8 { 1 }
        }
    }
}

/// Whether an identifier or a literal says the word.
fn says(tokens: &TokenStream, word: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => says(&group.stream(), word),
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Literal(literal) => literal.to_string().contains(&format!("::{word}")),
        TokenTree::Punct(_) => false,
    })
}

/// Every version of the tokens that misses one of them, at any depth, and every version that is cut off.
fn damaged(tokens: &TokenStream) -> Vec<TokenStream> {
    let all: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut out = Vec::new();
    for (i, token) in all.iter().enumerate() {
        out.push(all[..i].iter().cloned().collect());
        out.push([&all[..i], &all[i + 1..]].concat().into_iter().collect());
        if let TokenTree::Group(group) = token {
            let inner = damaged(&group.stream()).into_iter().map(|stream| Group::new(group.delimiter(), stream).into());
            out.extend(inner.map(|token| [&all[..i], &[token], &all[i + 1..]].concat().into_iter().collect()));
        }
    }
    out
}

#[test]
fn what_is_right_expands_without_a_mistake_and_parses() {
    for (expand, args, item) in samples() {
        let output = expand(args, &item);
        assert!(!says(&output, "compile_error"), "{output}");
        assert!(syn::parse2::<syn::File>(output.clone()).is_ok(), "{output}");
    }
}

#[test]
fn under_another_path_the_usual_one_is_never_named() {
    for (expand, args, item) in samples() {
        let output = expand(args, &item);
        assert!(says(&output, "keel") && !says(&output, "evenkeel"), "{output}");
    }
}

#[test]
fn nothing_panics_on_damaged_input_and_the_output_still_parses() {
    let mut tried = 0;
    for (expand, args, item) in samples() {
        let cases = damaged(&args).into_iter().map(|args| (args, item.clone()));
        let cases = cases.chain(damaged(&item).into_iter().map(|item| (args.clone(), item)));
        for (args, item) in cases {
            let sound = syn::parse2::<syn::File>(item.clone()).is_ok();
            let output = expand(args.clone(), &item);
            // rustc hands over items only that it can parse itself.
            assert!(!sound || syn::parse2::<syn::File>(output.clone()).is_ok(), "{args} {item}\n=> {output}");
            tried += 1;
        }
    }
    assert!(tried > 500, "{tried}");
}
