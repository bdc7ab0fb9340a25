//! Prints the call of a step.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::expand_set;
use crate::reconciler::model::Reconciler;
use crate::reconciler::pipeline::{Call, Callee};
use crate::syntax::krate::Krate;
use crate::syntax::shape::{hidden, hidden_at};

/// `[let x =] { begin; run; end }?;`
pub(super) fn expand_call(reconciler: &Reconciler, call: &Call) -> TokenStream {
    let bound = call.bound.iter().map(|(token, pattern)| quote!(#token #pattern =));
    let run = expand_run(reconciler, call, &reconciler.context);
    quote!(#(#bound)* #run?;)
}

/// `{ begin; run; end }` in the pass.
pub(super) fn expand_run(reconciler: &Reconciler, call: &Call, pass: &Ident) -> TokenStream {
    let krate = &reconciler.args.krate;
    let (step, done, tagged) = (hidden("cx"), hidden("done"), expand_step(krate, &call.callee));
    let run = expand_between(reconciler, call);
    quote!({
        let mut #step = #krate::begin(#tagged, #pass);
        #run
        #krate::finish(#step, #done)
    })
}

/// What stands between the begin of a step and its end: what rustc may complain of is at the author's tokens.
pub(super) fn expand_between(reconciler: &Reconciler, call: &Call) -> TokenStream {
    let Reconciler { args, object: kind, .. } = reconciler;
    let krate = &args.krate;
    let Call { callee, object, context: handed, .. } = call;
    let (step, done, tag) = (hidden("cx"), hidden("done"), hidden("tag"));
    let (seen, lent) = (hidden_at("object", object.span()), hidden_at("cx", handed.span()));
    let (here, set) = (krate.at(callee.span()), expand_set(reconciler).unwrap_or_else(|| quote!(_)));
    let object = quote_spanned!(callee.span()=> let #seen = #here::object::<#kind, #set, _>(&#step, #object););
    let handed = quote_spanned!(handed.span()=> #lent.lend());
    let (before, called) = expand_called(call, &quote!(#seen), &handed);
    quote! {
        let #tag = #krate::tag(&#step);
        #before
        #object
        let #done = #krate::run(#tag, #called).await;
    }
}

/// The call itself, and what stands before it.
fn expand_called(call: &Call, seen: &TokenStream, handed: &TokenStream) -> (TokenStream, TokenStream) {
    let Call { callee, inputs, .. } = call;
    match callee {
        Callee::Path(path) => {
            let function = hidden_at("step", path.span());
            (quote!(let #function = #path;), quote!(#function(#seen, #(#inputs,)* #handed)))
        }
        Callee::Method(method) => {
            let (receiver, name, turbofish) = (&method.receiver, &method.name, &method.turbofish);
            (quote!(), quote!(#receiver.#name #turbofish(#seen, #(#inputs,)* #handed)))
        }
    }
}

/// The step of a call. The path stands for a value here as everywhere: where it leads nowhere, rustc says so once.
pub(super) fn expand_step(krate: &Krate, callee: &Callee) -> TokenStream {
    let (value, here) = (callee.value(), krate.at(callee.span()));
    quote_spanned!(callee.span()=> #here::step_of(&#value))
}
