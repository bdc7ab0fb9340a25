//! Prints the call of a step.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

use super::expand_set;
use crate::reconciler::model::Reconciler;
use crate::reconciler::pipeline::Call;
use crate::syntax::krate::Krate;
use crate::syntax::shape::{hidden, hidden_at};

/// `[let x =] { begin; run; end }?;`, where what rustc may complain of stands at the author's tokens.
pub(super) fn expand_call(reconciler: &Reconciler, call: &Call) -> TokenStream {
    let Reconciler { args, context, object: kind, .. } = reconciler;
    let krate = &args.krate;
    let Call { bound, path, inputs, object, context: handed } = call;
    let (step, done, tag) = (hidden("cx"), hidden("done"), hidden("tag"));
    let (seen, lent) = (hidden_at("object", object.span()), hidden_at("cx", handed.span()));
    let function = hidden_at("step", path.span());
    let bound = bound.iter().map(|(token, pattern)| quote!(#token #pattern =));
    let (here, set) = (krate.at(path.span()), expand_set(reconciler).unwrap_or_else(|| quote!(_)));
    let tagged = expand_step(krate, &call.path);
    let object = quote_spanned!(path.span()=> let #seen = #here::object::<#kind, #set, _>(&#step, #object););
    let handed = quote_spanned!(handed.span()=> &mut #lent);
    quote! {
        #(#bound)* {
            let mut #step = #krate::begin(#tagged, #context);
            let #tag = #krate::tag(&#step);
            let #function = #path;
            #object
            let #done = #krate::run(#tag, #function(#seen, #(#inputs,)* #handed)).await;
            #krate::finish(#step, #done)
        }?;
    }
}

/// The step of a call. The path stands for a value here as everywhere: where it leads nowhere, rustc says so once.
pub(super) fn expand_step(krate: &Krate, path: &Path) -> TokenStream {
    let here = krate.at(path.span());
    quote_spanned!(path.span()=> #here::step_of(&#path))
}
