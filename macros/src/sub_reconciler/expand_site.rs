//! Expands the argument `site`: the call of the author's function, before the step and outside of it.

use proc_macro2::{Group, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Pat};

use super::model::Step;
use crate::syntax::function::Function;
use crate::syntax::hidden::{hidden, hidden_at};

/// The wiring: how the site is found outside of the step.
pub(super) fn expand_wiring(step: &Step) -> TokenStream {
    let (krate, marker) = (&step.args.krate, &step.marker);
    let found = step.args.site.iter().map(|_| quote!(#krate::std::option::Option::Some(#krate::find_site::<#marker>)));
    quote!(#(find_site: #found,)*)
}

/// The call of the author's function.
pub(super) fn expand_impl(step: &Step) -> TokenStream {
    let (krate, marker, Some(path)) = (&step.args.krate, &step.marker, &step.args.site) else {
        return TokenStream::new();
    };
    let (params, bounds) = marker.params(None, &TokenStream::new());
    let (object, cx, site) =
        (hidden_at("object", path.span()), hidden_at("cx", path.span()), hidden_at("site", path.span()));
    let found = quote_spanned!(path.span()=> let #site = #path(#object, #cx).await?;);
    quote! {
        impl #params #krate::HasSite for #marker #bounds {
            async fn find_site(
                #object: &Self::Object,
                #cx: &mut #krate::Cx<'_, Self>,
            ) -> #krate::std::result::Result<(), Self::Error> {
                #found
                #cx.act_at(#site).await;
                #krate::std::result::Result::Ok(())
            }
        }
    }
}

/// The function of the step, which finds its site first.
pub(super) fn enter(step: &Step) -> Option<Function> {
    step.args.site.as_ref()?;
    let (krate, marker) = (step.args.krate.full(), &step.marker);
    let Function { attrs, vis, sig, body, home, .. } = &step.function;
    let (mut sig, mut renamed) = (sig.clone(), Vec::new());
    let mut typed = sig.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    // The patterns of the author bind after the call, so that they may be anything.
    let mut rename = |param: Option<&mut syn::PatType>, name: &str| {
        let name = hidden(name);
        if let Some(param) = param {
            let pat = std::mem::replace(&mut *param.pat, Pat::Verbatim(name.to_token_stream()));
            renamed.push(quote!(let #pat = #name;));
        }
        name
    };
    let (object, cx) = (rename(typed.next(), "object"), rename(typed.next_back(), "cx"));
    let stream = body.stream();
    let mut block = Group::new(
        body.delimiter(),
        quote! {
            <#marker as #krate::HasSite>::find_site(#object, #cx).await?;
            #(#renamed)*
            #stream
        },
    );
    block.set_span(body.span());
    Some(Function { attrs: attrs.clone(), vis: vis.clone(), sig, body: block, home: home.clone(), called: None })
}
