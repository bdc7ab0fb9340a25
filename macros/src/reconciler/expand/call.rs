//! Prints the call of a step.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::expand_set;
use crate::reconciler::model::Reconciler;
use crate::reconciler::pipeline::{Call, Callee};
use crate::syntax::krate::Krate;
use crate::syntax::shape::{hidden, hidden_at};

/// `[let x =] { begin; run; end }?;`, where what rustc may complain of stands at the author's tokens.
pub(super) fn expand_call(reconciler: &Reconciler, call: &Call) -> TokenStream {
    let Reconciler { args, context, object: kind, .. } = reconciler;
    let krate = &args.krate;
    let Call { bound, callee, object, context: handed, .. } = call;
    let (step, done, tag) = (hidden("cx"), hidden("done"), hidden("tag"));
    let (seen, lent) = (hidden_at("object", object.span()), hidden_at("cx", handed.span()));
    let bound = bound.iter().map(|(token, pattern)| quote!(#token #pattern =));
    let (here, set) = (krate.at(callee.span()), expand_set(reconciler).unwrap_or_else(|| quote!(_)));
    let tagged = expand_step(krate, callee);
    let object = quote_spanned!(callee.span()=> let #seen = #here::object::<#kind, #set, _>(&#step, #object););
    let handed = quote_spanned!(handed.span()=> &mut #lent);
    let (before, called) = expand_called(call, &quote!(#seen), &handed);
    quote! {
        #(#bound)* {
            let mut #step = #krate::begin(#tagged, #context);
            let #tag = #krate::tag(&#step);
            #before
            #object
            let #done = #krate::run(#tag, #called).await;
            #krate::finish(#step, #done)
        }?;
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
