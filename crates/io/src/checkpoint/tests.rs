use std::path::Path;

use crc32fast::Hasher;

use super::*;
use crate::testing::{change_part, random_meta, random_world};
use rubblepile_core::Rng;

fn bytes_of(meta: &Meta, world: &World) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_to(&mut bytes, meta, world).unwrap();
    bytes
}

fn parse(bytes: &[u8]) -> Result<(Meta, World)> {
    read_from(&mut &bytes[..], bytes.len() as u64, Path::new("test.rpk"))
}

/// Of a run of soft spheres.
fn soft() -> Meta {
    Meta { method: "soft".into(), ..Meta::default() }
}

/// How many mutated inputs to try.
fn rounds() -> u64 {
    std::env::var("RUBBLEPILE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000)
}

#[test]
fn a_world_comes_back_bit_for_bit() {
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let (mut meta, mut world) = (random_meta(&mut rng), random_world(&mut rng, seed as usize * 7));
        meta.method = ["soft", "hard", "nonsmooth", "meshfree"][seed as usize % 4].into();
        change_part(&mut world, &mut rng, &meta.method);
        let bytes = bytes_of(&meta, &world);
        let (meta2, world2) = parse(&bytes).unwrap();
        assert_eq!(meta, meta2);
        // Equal numbers may differ in bits (-0.0, NaN): compare what is written again.
        assert!(bytes == bytes_of(&meta2, &world2), "seed {seed}");
        assert_eq!(world, world2);
    }
}

#[test]
fn not_a_number_and_minus_zero_survive() {
    let mut rng = Rng::new(1);
    let mut world = random_world(&mut rng, 3);
    world.bodies.velocity[1] = glam::DVec3::new(f64::NAN, -0.0, f64::NEG_INFINITY);
    let (_, again) = parse(&bytes_of(&soft(), &world)).unwrap();
    let bits = |v: glam::DVec3| v.to_array().map(f64::to_bits);
    assert_eq!(bits(world.bodies.velocity[1]), bits(again.bodies.velocity[1]));
}

#[test]
fn columns_longer_than_a_block_come_back() {
    let world = random_world(&mut Rng::new(2), 60_000);
    let bytes = bytes_of(&soft(), &world);
    assert!(bytes.len() > 8 << 20);
    assert!(parse(&bytes).unwrap().1 == world);
}

#[test]
fn every_truncation_is_an_error() {
    let mut rng = Rng::new(3);
    let bytes = bytes_of(&random_meta(&mut rng), &random_world(&mut rng, 2));
    for n in 0..bytes.len() {
        assert!(parse(&bytes[..n]).is_err(), "{n} of {} bytes were accepted", bytes.len());
        // The length may be known wrongly too, when the file shrinks while it is read.
        assert!(read_from(&mut &bytes[..n], bytes.len() as u64, Path::new("t")).is_err());
    }
    let longer = [&bytes[..], b"x"].concat();
    assert!(parse(&longer).is_err());
}

#[test]
fn every_flipped_bit_is_an_error() {
    let mut rng = Rng::new(4);
    let mut bytes = bytes_of(&random_meta(&mut rng), &random_world(&mut rng, 1));
    for k in 0..bytes.len() * 8 {
        bytes[k / 8] ^= 1 << (k % 8);
        assert!(parse(&bytes).is_err(), "bit {k} was flipped and accepted");
        bytes[k / 8] ^= 1 << (k % 8);
    }
}

/// With checksums repaired, so that lies about counts, kinds and texts get through to the values. What is accepted
/// must be a sound world: it is written and read again.
#[test]
fn resealed_mutations_never_panic() {
    let mut rng = Rng::new(5);
    let methods = ["soft", "hard", "nonsmooth", "meshfree"];
    let mut original = |n: usize| {
        let (mut meta, mut world) = (random_meta(&mut rng), random_world(&mut rng, n));
        meta.method = methods[n % 4].into();
        change_part(&mut world, &mut rng, methods[n % 4]);
        bytes_of(&meta, &world)
    };
    let originals: Vec<Vec<u8>> = (0..8).map(&mut original).collect();
    let mut accepted = 0;
    for _ in 0..rounds() {
        let mut bytes = originals[(rng.next_u64() % 8) as usize].clone();
        for _ in 0..1 + rng.next_u64() % 4 {
            let k = (rng.next_u64() % bytes.len() as u64) as usize;
            match rng.next_u64() % 4 {
                0 => bytes[k] ^= 1 << (rng.next_u64() % 8),
                1 => bytes[k] = [0, 1, 0x7f, 0x80, 0xff][(rng.next_u64() % 5) as usize],
                2 => bytes.truncate(k.max(1)),
                _ => {
                    let word = [u64::MAX, 1 << 40, 0, i64::MAX as u64][(rng.next_u64() % 4) as usize];
                    let end = bytes.len().min(k + 8);
                    bytes[k..end].copy_from_slice(&word.to_le_bytes()[..end - k]);
                }
            }
        }
        let _ = reseal(&mut bytes);
        if let Ok((meta, world)) = parse(&bytes) {
            accepted += 1;
            let _ = world.time();
            assert!(parse(&bytes_of(&meta, &world)).is_ok());
        }
    }
    assert!(accepted > 0, "the mutations never got past the checksums: this test tests nothing");
}

#[test]
fn a_list_that_lies_about_its_length_is_refused_before_it_costs_memory() {
    let mut rng = Rng::new(6);
    let mut bytes = bytes_of(&soft(), &random_world(&mut rng, 1));
    // The first list of the bodies: their ids, at the start of the section's only block.
    let name = bytes.windows(7).position(|w| w == b"\x06bodies").unwrap();
    let count = name + 7 + 4;
    bytes[count..count + 8].copy_from_slice(&(1u64 << 44).to_le_bytes());
    reseal(&mut bytes).unwrap();
    let message = parse(&bytes).unwrap_err().to_string();
    assert!(message.contains("section `bodies`") && message.contains("does not fit"), "{message}");
}

#[test]
fn a_part_is_never_read_as_that_of_another_method() {
    let mut rng = Rng::new(9);
    let mut world = random_world(&mut rng, 4);
    for (method, other) in
        [("soft", "nonsmooth"), ("nonsmooth", "soft"), ("hard", "soft"), ("meshfree", "hard")]
    {
        change_part(&mut world, &mut rng, method);
        let meta = Meta { method: other.into(), ..Meta::default() };
        let message = parse(&bytes_of(&meta, &world)).unwrap_err().to_string();
        assert!(message.contains(&format!("method `{method}`")) && message.contains(other), "{message}");
    }
    // An unknown method.
    let mut bytes = bytes_of(&soft(), &random_world(&mut rng, 4));
    let name = bytes.windows(4).rposition(|w| w == b"soft").unwrap();
    bytes[name..name + 4].copy_from_slice(b"firm");
    reseal(&mut bytes).unwrap();
    let message = parse(&bytes).unwrap_err().to_string();
    assert!(message.contains("section `part`") && message.contains("`firm`"), "{message}");
}

#[test]
fn foreign_and_newer_files_say_so() {
    let mut rng = Rng::new(7);
    let mut bytes = bytes_of(&soft(), &random_world(&mut rng, 1));
    assert!(matches!(parse(b""), Err(FileError::Foreign { .. })));
    assert!(matches!(parse(b"\x89HDF\r\n\x1a\n and so on"), Err(FileError::Foreign { .. })));
    bytes[8] = 200;
    assert!(matches!(parse(&bytes), Err(FileError::OtherVersion { version: 200, .. })));
}

#[test]
fn the_previous_checkpoint_is_used_when_the_newest_is_torn() {
    let directory = crate::testing::Scratch::new("checkpoint-previous");
    let mut rng = Rng::new(8);
    let (a, b) = (random_world(&mut rng, 5), random_world(&mut rng, 6));
    save(directory.path(), &soft(), &a).unwrap();
    save(directory.path(), &soft(), &b).unwrap();
    let found = find(directory.path()).unwrap();
    assert!(found.world == b && found.passed_over.is_none());

    let newest = directory.path().join(NEWEST);
    let bytes = std::fs::read(&newest).unwrap();
    std::fs::write(&newest, &bytes[..bytes.len() / 2]).unwrap();
    let found = find(directory.path()).unwrap();
    assert!(found.world == a && found.passed_over.is_some() && found.path.ends_with(PREVIOUS));

    // Killed between the two renames: only the previous one has its name.
    std::fs::remove_file(&newest).unwrap();
    assert!(find(directory.path()).unwrap().world == a);
    std::fs::remove_file(directory.path().join(PREVIOUS)).unwrap();
    assert!(matches!(find(directory.path()), Err(FileError::NoRun { .. })));
}

/// Repairs every checksum of a file whose blocks were changed: so that what is wrong with a value shows.
fn reseal(bytes: &mut [u8]) -> Option<()> {
    let mut hasher = Hasher::new();
    let mut at = 12;
    hasher.update(bytes.get(..12)?);
    let mut feed = |bytes: &mut [u8], at: &mut usize, n: usize, seal: bool| -> Option<()> {
        hasher.update(bytes.get(*at..*at + n)?);
        *at += n;
        if seal {
            let sum = hasher.clone().finalize().to_le_bytes();
            bytes.get_mut(*at..*at + 4)?.copy_from_slice(&sum);
            *at += 4;
        }
        Some(())
    };
    loop {
        let name = *bytes.get(at)? as usize;
        feed(bytes, &mut at, 1 + name, name == 0)?;
        if name == 0 {
            return Some(());
        }
        loop {
            let length = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize;
            feed(bytes, &mut at, 4 + if length == 0 { 8 } else { length }, true)?;
            if length == 0 {
                break;
            }
        }
    }
}
