//! Which vector instructions kernels use: the widest that the processor has, or what `RUBBLEPILE_LANES` asks for.
//!
//! The variable is for tests and for comparing processors. It is read once, at the first use. The feature `portable` compiles
//! no code for a particular processor at all: what runs then is what other processors than x86-64 run.

use std::{
    fmt,
    sync::atomic::{AtomicU8, Ordering},
};

/// Instruction sets that kernels are compiled for, in ascending order of width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// Plain arrays, for any processor.
    Portable,
    /// AVX2; for gravity with FMA.
    Avx2,
    /// AVX-512 F, DQ and VL; for gravity also BW.
    Avx512,
}

/// `RUBBLEPILE_LANES` asks for something that there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LanesError {
    #[error("{VARIABLE}={0:?} is unknown: it can be portable, avx2 or avx512")]
    Unknown(String),
    #[error("{VARIABLE}={0} is not available: this {1} can use {2}")]
    Unavailable(Instructions, &'static str, String),
}

/// The environment variable that chooses the instructions.
pub const VARIABLE: &str = "RUBBLEPILE_LANES";

impl Instructions {
    pub const ALL: [Instructions; 3] = [Instructions::Portable, Instructions::Avx2, Instructions::Avx512];

    pub fn name(self) -> &'static str {
        match self {
            Instructions::Portable => "portable",
            Instructions::Avx2 => "avx2",
            Instructions::Avx512 => "avx512",
        }
    }

    /// Whether this program, on this processor, can use them.
    pub fn available(self) -> bool {
        match self {
            Instructions::Portable => true,
            #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
            Instructions::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
            Instructions::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(all(target_arch = "x86_64", not(feature = "portable"))))]
            Instructions::Avx2 | Instructions::Avx512 => false,
        }
    }

    pub fn widest() -> Self {
        Self::ALL.into_iter().rev().find(|i| i.available()).unwrap_or(Instructions::Portable)
    }

    /// The value of `RUBBLEPILE_LANES`; `None` if it is not set or empty.
    pub fn requested() -> Result<Option<Self>, LanesError> {
        match std::env::var_os(VARIABLE) {
            Some(value) if !value.is_empty() => Self::parse(&value.to_string_lossy()).map(Some),
            _ => Ok(None),
        }
    }

    fn parse(text: &str) -> Result<Self, LanesError> {
        let found = Self::ALL.into_iter().find(|i| i.name() == text);
        let found = found.ok_or_else(|| LanesError::Unknown(text.into()))?;
        if found.available() {
            return Ok(found);
        }
        let here = if cfg!(feature = "portable") { "build (feature `portable`)" } else { "processor" };
        let names: Vec<&str> = Self::ALL.into_iter().filter(|i| i.available()).map(Self::name).collect();
        Err(LanesError::Unavailable(found, here, names.join(", ")))
    }
}

impl fmt::Display for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Position in `Instructions::ALL` plus one; zero until the first use.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

/// The instructions that kernels use. They are always available. A request that cannot be met is ignored here: programs
/// refuse it at their start with [`Instructions::requested`].
#[inline]
pub fn instructions() -> Instructions {
    match CHOSEN.load(Ordering::Relaxed) {
        1 => Instructions::Portable,
        2 => Instructions::Avx2,
        3 => Instructions::Avx512,
        _ => choose(),
    }
}

#[cold]
fn choose() -> Instructions {
    let chosen = Instructions::requested().ok().flatten().unwrap_or_else(Instructions::widest);
    CHOSEN.store(chosen as u8 + 1, Ordering::Relaxed);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_asks_for_something_that_exists() {
        // Tests with a misspelt request would run with something else.
        let requested = Instructions::requested().unwrap();
        assert_eq!(instructions(), requested.unwrap_or_else(Instructions::widest));
        assert!(instructions().available());
    }

    #[test]
    fn unknown_and_unavailable_instructions_are_refused() {
        let unknown = Instructions::parse("AVX2").unwrap_err().to_string();
        assert!(unknown.contains("\"AVX2\"") && unknown.contains("portable, avx2 or avx512"), "{unknown}");
        for asked in Instructions::ALL {
            match Instructions::parse(asked.name()) {
                Ok(found) => assert!(found == asked && asked.available()),
                Err(error) => {
                    assert!(!asked.available());
                    assert!(error.to_string().contains("can use portable"), "{error}");
                }
            }
        }
        if cfg!(feature = "portable") {
            assert_eq!(Instructions::widest(), Instructions::Portable);
        }
    }
}
