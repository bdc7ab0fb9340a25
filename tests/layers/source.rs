//! The paths of one source file that begin with `crate`, `self` or `super`, and the names that it imports.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::UseTree;

/// A module: the names on the path from the root of the crate.
pub(crate) type Module = Vec<String>;

/// A path in the source, from the root of the crate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) line: usize,
    pub(crate) path: Vec<String>,
    /// In a module `tests`.
    pub(crate) in_tests: bool,
    /// From a `pub use`, which re-exports a name.
    pub(crate) handed_on: bool,
}

/// The names in a file.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(crate) named: Vec<Named>,
    /// The names that the module imports, each with its path.
    pub(crate) imports: BTreeMap<String, Vec<String>>,
}

impl Source {
    /// Reads the tokens in the file of a module that declares these child modules.
    pub(crate) fn read(tokens: TokenStream, module: &[String], children: &BTreeSet<String>) -> Result<Self, String> {
        let mut reader = Reader { module, children, source: Self::default() };
        reader.walk(tokens, &[])?;
        Ok(reader.source)
    }
}

struct Reader<'a> {
    module: &'a [String],
    children: &'a BTreeSet<String>,
    source: Source,
}

impl Reader<'_> {
    /// Walks tokens inside these inline modules.
    fn walk(&mut self, tokens: TokenStream, inner: &[String]) -> Result<(), String> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.step(&tokens, at, inner)?;
        }
        Ok(())
    }

    /// Reads the item at this token, and returns the position after it.
    fn step(&mut self, tokens: &[TokenTree], at: usize, inner: &[String]) -> Result<usize, String> {
        let word = match &tokens[at] {
            TokenTree::Group(group) => {
                self.walk(group.stream(), inner)?;
                return Ok(at + 1);
            }
            TokenTree::Ident(word) => word,
            _ => return Ok(at + 1),
        };
        match (word.to_string().as_str(), tokens.get(at + 1), tokens.get(at + 2)) {
            ("mod", Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) => {
                self.walk(body.stream(), &[inner, &[name.to_string()]].concat())?;
                return Ok(at + 3);
            }
            ("pub", Some(TokenTree::Group(place)), _) if is_visibility(place) => return Ok(at + 2),
            ("use", Some(next), _) if !is_punct(next, '<') && !is_punct(next, '#') => {
                return self.import(tokens, at, inner);
            }
            _ => {}
        }
        let path = self.path(tokens, at);
        if let Some(path) = path.and_then(|path| self.absolute(&path, inner)) {
            self.note(word, path, inner, false);
        }
        // Skips this path: no path starts after a `::`.
        let mut end = at + 1;
        while is_separator(tokens, end) && matches!(tokens.get(end + 2), Some(TokenTree::Ident(_))) {
            end += 3;
        }
        Ok(end)
    }

    /// The path that starts at this word, if it has two segments or more.
    fn path(&self, tokens: &[TokenTree], at: usize) -> Option<Vec<String>> {
        let is_first = at == 0 || !(is_punct(&tokens[at - 1], '.') || at > 1 && is_separator(tokens, at - 2));
        let mut path = vec![tokens[at].to_string()];
        let mut end = at + 1;
        while is_separator(tokens, end) {
            match tokens.get(end + 2) {
                Some(TokenTree::Ident(part)) => path.push(part.to_string()),
                _ => break,
            }
            end += 3;
        }
        let is_rooted = matches!(path[0].as_str(), "crate" | "self" | "super");
        let is_child = self.children.contains(&path[0]);
        (is_first && path.len() > 1 && (is_rooted || is_child)).then_some(path)
    }

    /// Reads a `use`.
    fn import(&mut self, tokens: &[TokenTree], at: usize, inner: &[String]) -> Result<usize, String> {
        let length = tokens[at..].iter().take_while(|token| !is_punct(token, ';')).count();
        let item: TokenStream = tokens[at..].iter().take(length + 1).cloned().collect();
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let handed_on = match before {
            Some(TokenTree::Ident(word)) => word == "pub",
            Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
            _ => false,
        };
        let item: syn::ItemUse = syn::parse2(item).map_err(|error| format!("{}: {error}", self.module.join("::")))?;
        self.tree(&item.tree, &[], inner, handed_on);
        Ok(at + length + 1)
    }

    fn tree(&mut self, tree: &UseTree, before: &[String], inner: &[String], handed_on: bool) {
        let with =
            |name: &Ident| if name == "self" && !before.is_empty() { before.to_vec() } else { join(before, name) };
        match tree {
            UseTree::Path(path) => self.tree(&path.tree, &join(before, &path.ident), inner, handed_on),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before, inner, handed_on)),
            UseTree::Name(name) => self.leaf(&name.ident, &with(&name.ident), None, inner, handed_on),
            UseTree::Rename(name) => {
                self.leaf(&name.ident, &with(&name.ident), Some(name.rename.to_string()), inner, handed_on);
            }
            UseTree::Glob(glob) => {
                if let (Some(path), Some(star)) = (self.absolute(before, inner), glob.star_token.spans.first()) {
                    self.note(&Ident::new("glob", *star), path, inner, handed_on);
                }
            }
        }
    }

    fn leaf(&mut self, word: &Ident, path: &[String], renamed: Option<String>, inner: &[String], handed_on: bool) {
        let Some(absolute) = self.absolute(path, inner) else { return };
        let name = renamed.or_else(|| path.last().cloned()).unwrap_or_default();
        if inner.is_empty() {
            self.source.imports.insert(name, absolute.clone());
        }
        self.note(word, absolute, inner, handed_on);
    }

    fn note(&mut self, word: &Ident, path: Vec<String>, inner: &[String], handed_on: bool) {
        let in_tests = inner.iter().any(|name| name == "tests");
        self.source.named.push(Named { line: word.span().start().line, path, in_tests, handed_on });
    }

    /// The path from the root of the crate; `None` for one of another crate.
    fn absolute(&self, path: &[String], inner: &[String]) -> Option<Vec<String>> {
        let here = [self.module, inner].concat();
        let up = path.iter().take_while(|part| *part == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([&here, &path[1..]].concat()),
            "super" => Some([&here[..here.len().checked_sub(up)?], &path[up..]].concat()),
            child if inner.is_empty() && self.children.contains(child) => Some([&here, path].concat()),
            _ => None,
        }
    }
}

fn join(before: &[String], name: &Ident) -> Vec<String> {
    [before, &[name.to_string()]].concat()
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Whether a `::` starts here.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    tokens.get(at..at + 2).is_some_and(|pair| pair.iter().all(|token| is_punct(token, ':')))
}

/// Whether the brackets after a `pub` are a visibility: `(super)`, `(in crate::pass)`.
fn is_visibility(place: &proc_macro2::Group) -> bool {
    let tokens: Vec<TokenTree> = place.stream().into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Ident(only)] => ["crate", "self", "super"].iter().any(|word| only == word),
        [TokenTree::Ident(first), ..] => first == "in",
        _ => false,
    }
}
