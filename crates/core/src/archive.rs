//! How values become bytes and bytes values again.
//!
//! Each type names its fields once, in [`archive_struct!`](crate::archive_struct) or [`archive_enum!`](crate::archive_enum),
//! beside the type, and both directions are made from that list: a field added to a struct does not compile until it is in
//! the list. Changing a list changes the format of checkpoints: raise `VERSION` in `io/src/checkpoint/mod.rs`. Numbers are
//! little-endian; columns of plain numbers go through as they lie in memory, without a copy of the world.
//!
//! Reading trusts nothing: a count never reserves more memory than the file has bytes left.

mod stream;

use std::sync::Arc;

use bytemuck::Pod;
use glam::{DQuat, DVec2, DVec3};

use crate::settings::quantity::{AnyQuantity, Quantity, Vector};

pub use stream::{ArchiveReader, ArchiveWriter, Damage, Opening};

#[cfg(target_endian = "big")]
compile_error!("checkpoints are written as numbers lie in memory, little-endian");

pub type Read<T> = std::result::Result<T, Damage>;
pub type Write = std::io::Result<()>;

/// A value that goes into a checkpoint and comes back the same, bit for bit.
pub trait Archive: Sized {
    /// The fewest bytes a value takes: bounds what a count may claim.
    const LEAST: usize = 1;

    fn write(&self, to: &mut ArchiveWriter) -> Write;
    fn read(from: &mut ArchiveReader) -> Read<Self>;

    fn write_all(list: &[Self], to: &mut ArchiveWriter) -> Write {
        list.iter().try_for_each(|x| x.write(to))
    }

    fn read_all(count: usize, from: &mut ArchiveReader) -> Read<Vec<Self>> {
        let mut list = Vec::with_capacity(count.min(1 << 12));
        for _ in 0..count {
            list.push(Self::read(from)?);
        }
        Ok(list)
    }
}

/// Numbers that are their own bytes.
macro_rules! archive_plain {
    ($($t:ty),+) => {$(
        impl Archive for $t {
            const LEAST: usize = size_of::<$t>();

            fn write(&self, to: &mut ArchiveWriter) -> Write {
                to.put(bytemuck::bytes_of(self))
            }

            fn read(from: &mut ArchiveReader) -> Read<Self> {
                let mut value: $t = bytemuck::Zeroable::zeroed();
                from.take(bytemuck::bytes_of_mut(&mut value))?;
                Ok(value)
            }

            fn write_all(list: &[Self], to: &mut ArchiveWriter) -> Write {
                to.put(bytemuck::cast_slice(list))
            }

            fn read_all(count: usize, from: &mut ArchiveReader) -> Read<Vec<Self>> {
                read_plain(count, from)
            }
        }
    )+};
}

archive_plain!(u8, u32, u64, f64, DVec2, DVec3, DQuat);

/// Grows with what is really there: a torn file is found out before it costs memory.
fn read_plain<T: Pod>(count: usize, from: &mut ArchiveReader) -> Read<Vec<T>> {
    const STRIDE: usize = 1 << 15;
    let mut list: Vec<T> = Vec::new();
    list.try_reserve_exact(count)
        .map_err(|_| Damage::new("a list is longer than the memory of this machine"))?;
    while list.len() < count {
        let start = list.len();
        list.resize((start + STRIDE).min(count), T::zeroed());
        from.take(bytemuck::cast_slice_mut(&mut list[start..]))?;
    }
    Ok(list)
}

impl Archive for usize {
    const LEAST: usize = 8;

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        (*self as u64).write(to)
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        let number = u64::read(from)?;
        usize::try_from(number).map_err(|_| Damage::new(format!("a count of {number} is too large")))
    }
}

impl Archive for bool {
    fn write(&self, to: &mut ArchiveWriter) -> Write {
        u8::from(*self).write(to)
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        match u8::read(from)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Damage::new(format!("a boolean has the value {other}"))),
        }
    }
}

/// Settings, which events keep.
impl<K> Archive for Quantity<K> {
    const LEAST: usize = 8;

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        self.0.write(to)
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        f64::read(from).map(Quantity::from)
    }
}

impl<K> Archive for Vector<K> {
    const LEAST: usize = 24;

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        self.0.write(to)
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        DVec3::read(from).map(Vector::from)
    }
}

/// In SI: how it was written does not count any more.
impl Archive for AnyQuantity {
    const LEAST: usize = 8;

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        self.value.write(to)
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        f64::read(from).map(AnyQuantity::from)
    }
}

impl<T: Archive> Archive for Vec<T> {
    const LEAST: usize = 8;

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        (self.len() as u64).write(to)?;
        T::write_all(self, to)
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        let count = u64::read(from)?;
        let room = from.remaining() / T::LEAST as u64;
        if count > room {
            return Err(Damage::new(format!(
                "a list of {count} elements does not fit into the rest of the file"
            )));
        }
        T::read_all(count as usize, from)
    }
}

impl Archive for String {
    const LEAST: usize = 8;

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        (self.len() as u64).write(to)?;
        to.put(self.as_bytes())
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        String::from_utf8(Vec::<u8>::read(from)?).map_err(|_| Damage::new("a text is not UTF-8"))
    }
}

impl<T: Archive> Archive for Option<T> {
    fn write(&self, to: &mut ArchiveWriter) -> Write {
        self.is_some().write(to)?;
        self.iter().try_for_each(|x| x.write(to))
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        Ok(if bool::read(from)? { Some(T::read(from)?) } else { None })
    }
}

impl<T: Archive> Archive for Box<T> {
    const LEAST: usize = T::LEAST;

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        (**self).write(to)
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        T::read(from).map(Box::new)
    }
}

impl<T: Archive> Archive for Arc<T> {
    const LEAST: usize = T::LEAST;

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        (**self).write(to)
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        T::read(from).map(Arc::new)
    }
}

impl<T: Archive, const N: usize> Archive for [T; N] {
    const LEAST: usize = N * T::LEAST;

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        T::write_all(self, to)
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        let list: Vec<T> = (0..N).map(|_| T::read(from)).collect::<Read<_>>()?;
        list.try_into().map_err(|_| Damage::new("a short array"))
    }
}

/// `archive_struct!(Clock { step, timestep })`: every field, in the order of the file.
#[macro_export]
macro_rules! archive_struct {
    ($t:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::archive::Archive for $t {
            fn write(&self, to: &mut $crate::archive::ArchiveWriter) -> $crate::archive::Write {
                let $t { $($field),+ } = self;
                $($crate::archive::Archive::write($field, to)?;)+
                Ok(())
            }

            fn read(from: &mut $crate::archive::ArchiveReader) -> $crate::archive::Read<Self> {
                // The fields of a struct expression are evaluated in the order they are written in.
                Ok($t { $($field: $crate::archive::Archive::read(from)?),+ })
            }
        }
    };
}

/// `archive_enum!(Domain { 0 => Open {}, 1 => Periodic { min, max } })`: every variant with the number it has in
/// files. A tuple variant names its only field `0`, as `Body { 0: id }`.
#[macro_export]
macro_rules! archive_enum {
    ($t:ident { $($tag:literal => $variant:ident { $($field:tt $(: $name:ident)?),* }),+ $(,)? }) => {
        impl $crate::archive::Archive for $t {
            fn write(&self, to: &mut $crate::archive::ArchiveWriter) -> $crate::archive::Write {
                match self {
                    $($t::$variant { $($field $(: $name)?),* } => {
                        <u8 as $crate::archive::Archive>::write(&$tag, to)?;
                        $($crate::archive::Archive::write(
                            $crate::archive_enum!(@bound $field $($name)?), to)?;)*
                    })+
                }
                Ok(())
            }

            fn read(from: &mut $crate::archive::ArchiveReader) -> $crate::archive::Read<Self> {
                Ok(match <u8 as $crate::archive::Archive>::read(from)? {
                    $($tag => $t::$variant { $($field: $crate::archive::Archive::read(from)?),* },)+
                    other => return Err($crate::archive::Damage::new(
                        format!("variant {other} of {} is unknown", stringify!($t)),
                    )),
                })
            }
        }
    };
    (@bound $field:tt $name:ident) => { $name };
    (@bound $field:tt) => { $field };
}
