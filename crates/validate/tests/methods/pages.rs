//! Links and paths in the pages of the repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Files that the pages tell readers to write.
const EXAMPLES: [&str; 5] = [
    "crates/core/src/wall/sphere.rs",
    "crates/event",
    "crates/io/src/generate/place/ring.rs",
    "crates/probe/src/centre_of_mass_speed.rs",
    "crates/soft/src/law/hardening.rs",
];

/// Folders at the root whose paths are checked.
const FOLDERS: [&str; 6] = [".ci/", "crates/", "docs/", "scenarios/", "scripts/", "validation/"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages(folder: &Path, deep: bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if deep && path.is_dir() {
            pages(&path, deep, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

/// Targets of relative links, without anchors. Code is left out: `a[k](x)` is no link.
fn links(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    let targets = prose.flat_map(|p| p.split("](").skip(1)).filter_map(|rest| rest.split_once(')'));
    let targets = targets.map(|(target, _)| target.split('#').next().unwrap_or_default());
    targets.filter(|t| !t.is_empty() && !t.contains("://") && !t.contains(char::is_whitespace)).collect()
}

/// Words that name a file below one of the [`FOLDERS`], or a source file without its `crates/`.
fn paths(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./*<>".contains(c);
    let mut found = Vec::new();
    for word in text.split(|c| !is_part(c)) {
        let word = word.trim_end_matches('.');
        if word.contains(['*', '<', '>']) || EXAMPLES.contains(&word) {
            continue;
        }
        if FOLDERS.iter().any(|f| word.starts_with(f)) {
            found.push(word.to_string());
        } else if word.split('/').nth(1) == Some("src") && !word.starts_with("..") {
            found.push(format!("crates/{word}"));
        }
    }
    found
}

#[test]
fn every_link_and_path_in_the_pages_exists() {
    let root = root();
    let mut all = Vec::new();
    pages(&root, false, &mut all);
    pages(&root.join("docs"), true, &mut all);
    pages(&root.join("validation"), true, &mut all);
    let mut broken = Vec::new();
    let (mut links_seen, mut paths_seen) = (0, 0);
    for page in &all {
        let text = fs::read_to_string(page).expect("a page");
        let folder = page.parent().expect("a folder");
        for link in links(&text) {
            links_seen += 1;
            if !folder.join(link).exists() {
                broken.push(format!("{}: link to {link}", page.display()));
            }
        }
        for path in paths(&text) {
            paths_seen += 1;
            if !root.join(&path).exists() && !folder.join(&path).exists() {
                broken.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(
        links_seen > 50 && paths_seen > 50,
        "{links_seen} links and {paths_seen} paths: are there pages?"
    );
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// `rubblepile validate --claims > validation/README.md` writes it.
#[test]
fn the_page_of_claims_is_that_of_the_cases() {
    let page = fs::read_to_string(root().join("validation/README.md")).expect("the page");
    let table = rubblepile_validate::claims::table();
    for (written, made) in page.lines().zip(table.lines()) {
        assert_eq!(written, made, "validation/README.md is out of date: `validate --claims` writes it");
    }
    assert_eq!(page.lines().count(), table.lines().count());
}
