//! A page of the book: its links, headings and code blocks.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A page, named by its path in the book.
pub(crate) struct Page {
    pub(crate) name: String,
    text: String,
}

/// A fenced code block, with the file of a `<!-- file: .. -->` before it.
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) text: String,
    pub(crate) file: Option<String>,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn book() -> PathBuf {
    root().join("docs/src")
}

/// All pages but the summary.
pub(crate) fn pages() -> Vec<Page> {
    let mut folders = vec![book()];
    let mut names = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                names.insert(path.strip_prefix(book()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    names.remove("SUMMARY.md");
    names.iter().map(|name| Page::read(name)).collect()
}

impl Page {
    pub(crate) fn read(name: &str) -> Self {
        let path = book().join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { name: name.to_owned(), text }
    }

    fn events(&self) -> impl Iterator<Item = Event<'_>> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES)
    }

    pub(crate) fn links(&self) -> Vec<String> {
        let links = self.events().filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
            _ => None,
        });
        links.collect()
    }

    /// The text of the page.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The files of its `<img src="..">`.
    pub(crate) fn pictures(&self) -> Vec<&str> {
        let rest = self.text.split("<img src=\"").skip(1);
        rest.filter_map(|rest| rest.split_once('"')).map(|(file, _)| file).collect()
    }

    /// The anchors of the headings, as mdBook makes them.
    pub(crate) fn anchors(&self) -> BTreeSet<String> {
        let mut heading = None;
        let mut anchors = BTreeSet::new();
        for event in self.events() {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => anchors.extend(heading.take().map(|text| anchor(&text))),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        anchors
    }

    pub(crate) fn blocks(&self) -> Vec<Block> {
        let (mut blocks, mut file, mut open) = (Vec::new(), None, None);
        for event in self.events() {
            match event {
                Event::Html(html) => {
                    let marked = html.trim().strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->"));
                    file = marked.map(str::to_owned).or(file);
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language =
                        if let CodeBlockKind::Fenced(language) = kind { language.into_string() } else { String::new() };
                    open = Some(Block { language, text: String::new(), file: file.take() });
                }
                Event::Text(text) => {
                    if let Some(block) = &mut open {
                        block.text.push_str(&text);
                    }
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
                _ => {}
            }
        }
        blocks
    }

    /// The folder of the page.
    pub(crate) fn folder(&self) -> PathBuf {
        book().join(&self.name).parent().unwrap().to_owned()
    }

    /// The name of the page to which a relative link leads.
    pub(crate) fn relative(&self, link: &str) -> String {
        let mut parts: Vec<&str> = self.name.split('/').collect();
        parts.pop();
        for part in Path::new(link).components() {
            match part {
                Component::ParentDir => drop(parts.pop()),
                Component::Normal(part) => parts.push(part.to_str().unwrap()),
                _ => {}
            }
        }
        parts.join("/")
    }
}

fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}
