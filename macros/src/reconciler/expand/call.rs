//! Expands the call of a step.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::value::expand_value;
use crate::reconciler::model::Reconciler;
use crate::reconciler::pipeline::{Call, Callee};
use crate::syntax::hidden::{hidden, hidden_at};

/// Expands to `[let x =] { begin; end(run) }?;`.
pub(super) fn expand_call(reconciler: &Reconciler, call: &Call) -> TokenStream {
    let bound = call.bound.iter().map(|(token, pattern)| quote!(#token #pattern =));
    let finish = if call.bound.is_some() { "finish" } else { "conclude" };
    let run = expand_run(reconciler, call, &reconciler.context, finish);
    quote!(#(#bound)* #run?;)
}

/// Expands to `{ begin; end(run) }` in the pass.
pub(super) fn expand_run(reconciler: &Reconciler, call: &Call, pass: &Ident, finish: &str) -> TokenStream {
    let (krate, callee) = (&reconciler.args.krate, &call.callee);
    // The whole span is the author's, so that rustc points there if the step does not fit this pipeline.
    let (step, tag) = (expand_step(reconciler, callee, "run"), Ident::new("__tag", callee.span()));
    let begun = expand_begin(call, "begin", &tag, pass);
    let tagged = match callee {
        Callee::Path(path) => {
            let (function, value) = (hidden_at("step", path.span()), expand_value(reconciler, callee));
            quote!(let (#tag, #function) = (#step, #value);)
        }
        Callee::Method(_) => quote!(let #tag = #step;),
    };
    let (cx, run, finish) = (hidden("cx"), expand_await(call), format_ident!("{finish}"));
    quote!({
        #tagged
        #begun
        #krate::#finish(#run, #cx)
    })
}

/// Binds the context of the step, its object and its limits.
/// Tokens that rustc may report on have the author's spans.
pub(super) fn expand_begin(call: &Call, how: &str, step: &impl ToTokens, pass: &Ident) -> TokenStream {
    let Call { callee, object, .. } = call;
    let (cx, limit) = (hidden("cx"), hidden("limit"));
    let seen = hidden_at("object", object.span());
    let (pipeline, how) = (hidden_at("run", callee.span()), Ident::new(how, callee.span()));
    quote_spanned!(callee.span()=> let (mut #cx, #seen, #limit) = #pipeline.#how(#step, #object, #pass);)
}

/// Binds the function of a step. It is used as a value here as everywhere, so that rustc reports an unknown path once.
pub(super) fn expand_function(reconciler: &Reconciler, callee: &Callee) -> TokenStream {
    let Callee::Path(path) = callee else { return TokenStream::new() };
    let (function, value) = (hidden_at("step", path.span()), expand_value(reconciler, callee));
    quote!(let #function = #value;)
}

/// Runs the step within its limits.
pub(super) fn expand_await(call: &Call) -> TokenStream {
    let Call { callee, object, inputs, context, .. } = call;
    let limit = hidden("limit");
    let (seen, lent) = (hidden_at("object", object.span()), hidden_at("cx", context.span()));
    let handed = quote_spanned!(context.span()=> #lent.into_step_cx());
    let called = match callee {
        Callee::Path(path) => {
            let function = hidden_at("step", path.span());
            quote!(#function(#seen, #(#inputs,)* #handed))
        }
        Callee::Method(method) => {
            let (receiver, name, turbofish) = (&method.receiver, &method.name, &method.turbofish);
            quote!(#receiver.#name #turbofish(#seen, #(#inputs,)* #handed))
        }
    };
    quote!(#limit.run(#called).await)
}

/// The step of a call, in the pipeline that is bound to the name `pipeline`.
pub(super) fn expand_step(reconciler: &Reconciler, callee: &Callee, pipeline: &str) -> TokenStream {
    let (value, here) = (expand_value(reconciler, callee), reconciler.args.krate.at(callee.span()));
    let pipeline = hidden_at(pipeline, callee.span());
    quote_spanned!(callee.span()=> #here::step_of(&#pipeline, &#value))
}
