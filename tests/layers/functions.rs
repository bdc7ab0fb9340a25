//! Functions that are too long to read at once.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, Signature, TraitItemFn};

use crate::tree::Tree;

/// The maximum number of lines, from the line of the `fn` to the closing brace, tests included.
const MOST_LINES: usize = 60;

/// The longer functions of the tree, one per line, starting with the location.
pub(crate) fn long_functions(tree: &Tree) -> Vec<String> {
    let long = tree.modules.values().flat_map(|file| {
        let mut lengths = Lengths::default();
        lengths.visit_file(&file.items);
        let long = lengths.0.into_iter().filter(|function| function.lines > MOST_LINES);
        long.map(|Function { name, first, lines }| format!("{}:{first}: {name} has {lines} lines", file.name))
    });
    long.collect()
}

struct Function {
    name: String,
    first: usize,
    lines: usize,
}

#[derive(Default)]
struct Lengths(Vec<Function>);

impl Lengths {
    fn add(&mut self, signature: &Signature, body: &Block) {
        let (first, last) = (signature.span().start().line, body.span().end().line);
        self.0.push(Function { name: signature.ident.to_string(), first, lines: last + 1 - first });
    }
}

impl<'a> Visit<'a> for Lengths {
    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'a ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'a TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}
