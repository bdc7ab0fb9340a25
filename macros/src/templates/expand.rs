//! Expands the macro: the set as a constant expression.

use proc_macro2::TokenStream;
use quote::quote;

use super::args::TemplatesArgs;
use super::check::Checked;
use super::folder::TemplateFile;
use crate::syntax::kind_text::expand_kind;

pub(super) fn expand(args: &TemplatesArgs, Checked { files, kinds }: &Checked) -> TokenStream {
    let (krate, folder) = (&args.krate, &args.folder);
    let name = folder.value();
    let name = name.trim_end_matches('/');
    let files = files.iter().map(|TemplateFile { name: file, .. }| {
        let path = format!("/{name}/{file}");
        // Cargo compiles the crate again when an included file changes.
        quote! {
            #krate::TemplateFile {
                name: #file,
                text: #krate::std::include_str!(#krate::std::concat!(#krate::std::env!("CARGO_MANIFEST_DIR"), #path)),
            }
        }
    });
    let kinds = kinds.iter().map(|(api_version, kind)| expand_kind(krate, api_version, kind, None, false));
    quote!(const { #krate::Templates::new(#name, &[#(#files),*], &[#(#kinds),*]) })
}
