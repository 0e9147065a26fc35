//! Citations: each method, law and field names the papers it implements.

/// A paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Citation {
    pub key: &'static str,
    /// The part of a run that it covers.
    pub about: &'static str,
    pub authors: &'static str,
    pub title: &'static str,
    pub journal: &'static str,
    pub year: u32,
    pub volume: &'static str,
    pub pages: &'static str,
    pub doi: &'static str,
}

impl Citation {
    pub fn bibtex(&self) -> String {
        let Citation { key, authors, title, journal, year, volume, pages, doi, .. } = self;
        format!(
            "@article{{{key},\n  author = {{{authors}}},\n  title = {{{title}}},\n  journal = {{{journal}}},\n  \
             year = {{{year}}},\n  volume = {{{volume}}},\n  pages = {{{pages}}},\n  doi = {{{doi}}}\n}}\n"
        )
    }
}
