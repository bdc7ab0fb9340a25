//! Types whose methods are spread over too many files.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Attribute, Item, ItemImpl, Meta, Path, Type};

use crate::source::Module;
use crate::tree::{File, Tree};

/// A type with methods in more files should be several types.
const MOST_FILES: usize = 5;

/// A type or a trait: the module that declares it, and its name.
type Name = (Module, String);

/// An `impl` outside of tests.
struct Impl<'a> {
    file: &'a File,
    module: &'a Module,
    /// `None` for an inherent one.
    of_trait: Option<Name>,
    type_: Name,
}

/// The types with methods in too many files, one per line. The methods of a trait count for the type if it is the only one that implements
/// the trait, in the folder of the trait.
pub(crate) fn scattered_methods(tree: &Tree) -> Vec<String> {
    let all = impls(tree);
    let mut implementors: BTreeMap<&Name, BTreeSet<&Name>> = BTreeMap::new();
    for one in &all {
        if let Some(of_trait) = &one.of_trait {
            implementors.entry(of_trait).or_default().insert(&one.type_);
        }
    }
    let is_extension = |one: &Impl<'_>, of_trait: &Name| {
        let is_here = tree.declares_trait(of_trait) && of_trait.0.first() == one.module.first();
        is_here && implementors[of_trait].len() == 1
    };
    let mut files: BTreeMap<&Name, BTreeSet<&str>> = BTreeMap::new();
    for one in &all {
        if one.of_trait.as_ref().is_none_or(|of_trait| is_extension(one, of_trait)) {
            files.entry(&one.type_).or_default().insert(&one.file.name);
        }
    }
    let scattered = files.into_iter().filter(|(_, files)| files.len() > MOST_FILES);
    let line = |((module, name), files): (&Name, BTreeSet<&str>)| {
        let all = files.iter().copied().collect::<Vec<_>>().join(" ");
        format!("{}::{name} has methods in {} files: {all}", module.join("::"), files.len())
    };
    scattered.map(line).collect()
}

fn impls(tree: &Tree) -> Vec<Impl<'_>> {
    let tests: BTreeSet<Module> = tree.modules.iter().flat_map(|(module, file)| tests_of(module, file)).collect();
    let is_test = |module: &Module| (1..=module.len()).any(|end| tests.contains(&module[..end]));
    let files = tree.modules.iter().filter(|(module, _)| !is_test(module));
    let all = files.flat_map(|(module, file)| {
        let blocks = file.items.items.iter().filter_map(|item| match item {
            Item::Impl(block) if !is_of_tests(&block.attrs) => Some(block),
            _ => None,
        });
        blocks.filter_map(move |block| read(tree, module, file, block))
    });
    all.collect()
}

fn read<'a>(tree: &'a Tree, module: &'a Module, file: &'a File, block: &ItemImpl) -> Option<Impl<'a>> {
    let mut type_ = &*block.self_ty;
    while let Type::Reference(inner) = type_ {
        type_ = &inner.elem;
    }
    let Type::Path(path) = type_ else { return None };
    let of_trait = block.trait_.as_ref().map(|(path, _)| name(tree, module, file, path));
    Some(Impl { file, module, of_trait, type_: name(tree, module, file, &path.path) })
}

/// The name as it is declared.
fn name(tree: &Tree, module: &Module, file: &File, path: &Path) -> Name {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let up = names.iter().take_while(|name| *name == "super").count();
    let full = match (names[0].as_str(), file.source.imports.get(&names[0])) {
        ("crate", _) => names[1..].to_vec(),
        ("self", _) => [module, &names[1..]].concat(),
        ("super", _) => [&module[..module.len().saturating_sub(up)], &names[up..]].concat(),
        (_, Some(import)) => [import, &names[1..]].concat(),
        (_, None) => [module, &names[..]].concat(),
    };
    (tree.home(&full).clone(), full.last().cloned().unwrap_or_default())
}

/// The modules that the file declares for tests only.
fn tests_of(module: &Module, file: &File) -> Vec<Module> {
    let declared = file.items.items.iter().filter_map(|item| match item {
        Item::Mod(child) if is_of_tests(&child.attrs) => Some([&module[..], &[child.ident.to_string()]].concat()),
        _ => None,
    });
    declared.collect()
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    let of_tests = |text: &str| text == "test" || text.starts_with("all (test");
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => of_tests(&list.tokens.to_string()),
        _ => false,
    })
}
