//! What to cite for a run: this program, and the papers behind what it used.

/// A paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Citation {
    pub key: &'static str,
    /// What of the run it stands for.
    pub about: &'static str,
    pub authors: &'static str,
    pub title: &'static str,
    pub journal: &'static str,
    pub year: u32,
    pub volume: &'static str,
    pub pages: &'static str,
    pub doi: &'static str,
    /// Methods and fields, by name, that it belongs to.
    used_by: &'static [&'static str],
}

/// Every paper that something in this program stands on.
pub const ALL: [Citation; 6] = [
    Citation {
        key: "Song2024",
        about: "the soft-sphere contact model",
        authors: "Song, Z. and Yu, Y. and Soldini, S. and Cheng, B. and Michel, P.",
        title: "An integrated {DEM} code for tracing the entire regolith mass movement on asteroids",
        journal: "Monthly Notices of the Royal Astronomical Society",
        year: 2024,
        volume: "532",
        pages: "1307--1329",
        doi: "10.1093/mnras/stae1537",
        used_by: &["soft"],
    },
    Citation {
        key: "Sanchez2021",
        about: "contact dynamics of grains under their own gravity",
        authors: "S{\\'a}nchez, P. and Renouf, M. and Az{\\'e}ma, E. and Mozul, R. and Dubois, F.",
        title: "A contact dynamics code implementation for the simulation of asteroid evolution and regolith in the \
                asteroid environment",
        journal: "Icarus",
        year: 2021,
        volume: "363",
        pages: "114441",
        doi: "10.1016/j.icarus.2021.114441",
        used_by: &["nonsmooth"],
    },
    Citation {
        key: "Ferrari2017",
        about: "contact dynamics of polyhedra as a cone problem",
        authors: "Ferrari, F. and Tasora, A. and Masarati, P. and Lavagna, M.",
        title: "{N}-body gravitational and contact dynamics for asteroid aggregation",
        journal: "Multibody System Dynamics",
        year: 2017,
        volume: "39",
        pages: "3--20",
        doi: "10.1007/s11044-016-9547-2",
        used_by: &["nonsmooth"],
    },
    Citation {
        key: "Richardson2011",
        about: "hard spheres and walls, collision by collision",
        authors: "Richardson, D. C. and Walsh, K. J. and Murdoch, N. and Michel, P.",
        title: "Numerical simulations of granular dynamics: {I}. {H}ard-sphere discrete element method and tests",
        journal: "Icarus",
        year: 2011,
        volume: "212",
        pages: "427--437",
        doi: "10.1016/j.icarus.2010.11.030",
        used_by: &["hard"],
    },
    Citation {
        key: "Mollon2016",
        about: "deformable grains without a mesh",
        authors: "Mollon, G.",
        title: "A multibody meshfree strategy for the simulation of highly deformable granular materials",
        journal: "International Journal for Numerical Methods in Engineering",
        year: 2016,
        volume: "108",
        pages: "1477--1497",
        doi: "10.1002/nme.5258",
        used_by: &["meshfree"],
    },
    Citation {
        key: "Dehnen2002",
        about: "gravity by a tree of expansions",
        authors: "Dehnen, W.",
        title: "A hierarchical {O(N)} force calculation algorithm",
        journal: "Journal of Computational Physics",
        year: 2002,
        volume: "179",
        pages: "27--42",
        doi: "10.1006/jcph.2002.7026",
        used_by: &["tree self-gravity"],
    },
];

/// The papers behind a method and fields, by their names.
pub fn for_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Citation> {
    let names: Vec<&str> = names.into_iter().collect();
    ALL.iter().filter(|c| c.used_by.iter().any(|u| names.contains(u))).copied().collect()
}

/// The paper of this key.
pub fn by_key(key: &str) -> Option<Citation> {
    ALL.iter().find(|c| c.key == key).copied()
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

/// The program itself.
pub fn program_bibtex(version: &str) -> String {
    format!(
        "@software{{rubblepile,\n  title = {{Rubblepile: simulation of small solar-system bodies as piles of \
         rubble}},\n  version = {{{version}}}\n}}\n"
    )
}
