//! The file below the values: magic, version, named sections of checksummed blocks, and an end mark.
//!
//! ```text
//! file     magic (8 bytes) version (u32) section* 0 (u8) checksum (u32)
//! section  length of name (u8) name block* 0 (u32) length of all blocks (u64) checksum (u32)
//! block    length (u32, at most 1 MiB) bytes checksum (u32)
//! ```
//!
//! A checksum is the CRC-32 of the whole file up to it, other checksums left out: a block that is flipped, missing,
//! doubled or in the wrong place does not pass, and nothing of a block is used before it has passed. Both
//! directions need one block of memory.

use std::io;

use crc32fast::Hasher;

type Read<T> = std::result::Result<T, Damage>;

/// Bytes in a block.
const BLOCK: usize = 1 << 20;

/// Why a file cannot be read, without its name; the section is known here.
#[derive(Debug)]
pub struct Damage {
    pub section: String,
    pub what: String,
    /// The system's error, if the file itself is not at fault.
    pub source: Option<io::Error>,
}

impl Damage {
    pub fn new(what: impl Into<String>) -> Self {
        Damage { section: String::new(), what: what.into(), source: None }
    }
}

/// Writes values to a file.
pub struct ArchiveWriter<'a> {
    out: &'a mut dyn io::Write,
    hasher: Hasher,
    block: Vec<u8>,
    section_length: u64,
}

impl<'a> ArchiveWriter<'a> {
    pub fn new(out: &'a mut dyn io::Write, magic: &[u8; 8], version: u32) -> io::Result<Self> {
        let mut target =
            ArchiveWriter { out, hasher: Hasher::new(), block: Vec::with_capacity(BLOCK), section_length: 0 };
        target.raw(magic)?;
        target.raw(&version.to_le_bytes())?;
        Ok(target)
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.out.write_all(bytes)
    }

    fn checksum(&mut self) -> io::Result<()> {
        let sum = self.hasher.clone().finalize();
        self.out.write_all(&sum.to_le_bytes())
    }

    /// One named section, filled by `fill`.
    pub fn section(&mut self, name: &str, fill: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.raw(&[name.len() as u8])?;
        self.raw(name.as_bytes())?;
        self.section_length = 0;
        fill(self)?;
        self.flush_block()?;
        self.raw(&0u32.to_le_bytes())?;
        self.raw(&self.section_length.to_le_bytes())?;
        self.checksum()
    }

    pub fn put(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let n = bytes.len().min(BLOCK - self.block.len());
            self.block.extend_from_slice(&bytes[..n]);
            bytes = &bytes[n..];
            if self.block.len() == BLOCK {
                self.flush_block()?;
            }
        }
        Ok(())
    }

    fn flush_block(&mut self) -> io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let block = std::mem::take(&mut self.block);
        self.section_length += block.len() as u64;
        self.raw(&(block.len() as u32).to_le_bytes())?;
        self.raw(&block)?;
        self.checksum()?;
        self.block = block;
        self.block.clear();
        Ok(())
    }

    /// The end mark.
    pub fn finish(mut self) -> io::Result<()> {
        self.raw(&[0])?;
        self.checksum()
    }
}

/// The kind of a file according to its first bytes.
pub enum Opening<'a> {
    Ours(ArchiveReader<'a>),
    Foreign(String),
    OtherVersion(u32),
}

/// Reads values from a file.
pub struct ArchiveReader<'a> {
    input: &'a mut dyn io::Read,
    hasher: Hasher,
    block: Vec<u8>,
    at: usize,
    /// Bytes of the file not yet read.
    left: u64,
    section: String,
    section_length: u64,
}

impl<'a> ArchiveReader<'a> {
    /// `length` is that of the whole file.
    pub fn open(input: &'a mut dyn io::Read, length: u64, magic: &[u8; 8], newest: u32) -> Read<Opening<'a>> {
        let mut source = ArchiveReader {
            input,
            hasher: Hasher::new(),
            block: Vec::new(),
            at: 0,
            left: length,
            section: "the header".into(),
            section_length: 0,
        };
        let mut head = [0; 12];
        if length < 12 {
            return Ok(Opening::Foreign(format!("it is only {length} bytes long")));
        }
        source.raw(&mut head)?;
        if head[..8] != magic[..] {
            return Ok(Opening::Foreign("its magic number is wrong".into()));
        }
        let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        Ok(if version != newest { Opening::OtherVersion(version) } else { Opening::Ours(source) })
    }

    fn damage(&self, what: impl Into<String>) -> Damage {
        Damage { section: self.section.clone(), what: what.into(), source: None }
    }

    /// Bytes that values can still come from, at most.
    pub fn remaining(&self) -> u64 {
        self.left + (self.block.len() - self.at) as u64
    }

    fn raw(&mut self, bytes: &mut [u8]) -> Read<()> {
        self.unhashed(bytes)?;
        self.hasher.update(bytes);
        Ok(())
    }

    fn unhashed(&mut self, bytes: &mut [u8]) -> Read<()> {
        if bytes.len() as u64 > self.left {
            return Err(self.damage("the file ends too early"));
        }
        self.input.read_exact(bytes).map_err(|e| {
            let mut damage = self.damage("the file ends too early");
            if e.kind() != io::ErrorKind::UnexpectedEof {
                damage.source = Some(e);
            }
            damage
        })?;
        self.left -= bytes.len() as u64;
        Ok(())
    }

    fn number<const N: usize>(&mut self) -> Read<[u8; N]> {
        let mut bytes = [0; N];
        self.raw(&mut bytes)?;
        Ok(bytes)
    }

    fn check(&mut self) -> Read<()> {
        let mut sum = [0; 4];
        self.unhashed(&mut sum)?;
        if u32::from_le_bytes(sum) != self.hasher.clone().finalize() {
            return Err(self.damage("the checksum does not match"));
        }
        Ok(())
    }

    /// The section of this name, which must come next, read by `parse` to its last byte.
    pub fn section<T>(&mut self, name: &str, parse: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.section = format!("section `{name}`");
        let length = self.number::<1>()?[0] as usize;
        let mut found = vec![0; length];
        self.raw(&mut found)?;
        if found != name.as_bytes() {
            let found =
                if length == 0 { "the end".into() } else { String::from_utf8_lossy(&found).into_owned() };
            return Err(self.damage(format!("`{}` was found instead", found.escape_debug())));
        }
        self.section_length = 0;
        (self.block, self.at) = (Vec::new(), 0);
        let value = parse(self).map_err(|mut d| {
            if d.section.is_empty() {
                d.section = self.section.clone();
            }
            d
        })?;
        if self.at < self.block.len() || self.next_block()? {
            return Err(self.damage("it is longer than expected"));
        }
        Ok(value)
    }

    /// Reads the next block of the section; `false` at the section's end.
    fn next_block(&mut self) -> Read<bool> {
        let length = u32::from_le_bytes(self.number()?) as usize;
        if length > BLOCK {
            return Err(self.damage("the length of a block is impossible"));
        }
        if length == 0 {
            let total = u64::from_le_bytes(self.number()?);
            self.check()?;
            if total != self.section_length {
                return Err(self.damage("its length is not the recorded one"));
            }
            return Ok(false);
        }
        if length as u64 > self.left {
            return Err(self.damage("the file ends too early"));
        }
        let mut block = std::mem::take(&mut self.block);
        block.resize(length, 0);
        self.raw(&mut block)?;
        (self.block, self.at) = (block, 0);
        self.section_length += length as u64;
        self.check()?;
        Ok(true)
    }

    pub fn take(&mut self, mut bytes: &mut [u8]) -> Read<()> {
        while !bytes.is_empty() {
            if self.at == self.block.len() && !self.next_block()? {
                return Err(self.damage("it is shorter than its contents"));
            }
            let n = bytes.len().min(self.block.len() - self.at);
            bytes[..n].copy_from_slice(&self.block[self.at..self.at + n]);
            self.at += n;
            bytes = &mut bytes[n..];
        }
        Ok(())
    }

    /// The end mark, and nothing behind it.
    pub fn finish(mut self) -> Read<()> {
        self.section = "the end mark".into();
        if self.number::<1>()?[0] != 0 {
            return Err(self.damage("another section is in its place"));
        }
        self.check()?;
        if self.left > 0 {
            return Err(self.damage(format!("{} bytes follow it", self.left)));
        }
        Ok(())
    }
}
