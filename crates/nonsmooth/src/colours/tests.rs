use rubblepile_core::{
    Rng,
    simd::{LANES, Lanes},
};

use super::*;

struct Count;
impl Work<[u32; LANES], ()> for Count {
    type Pass = ();
    fn batch<L: Lanes>(
        &self,
        (): (),
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        _: &mut [u32; LANES],
        _: &mut (),
    ) {
        for row in a.into_iter().chain(b) {
            row[0] += 1.0;
        }
    }
}

#[test]
fn every_contact_is_visited_once_by_its_two_bodies() {
    let mut rng = Rng::new(4);
    let n = 300;
    let mut contacts = Vec::new();
    for k in 0..2000u32 {
        let a = (rng.next_u64() % (n - 1)) as u32;
        let b = a + 1 + (rng.next_u64() % (n - 1 - u64::from(a))) as u32;
        contacts.push((a, (k % 7 != 0).then_some(b)));
    }
    // One body that everything touches.
    contacts.extend((1..200).map(|b| (0, Some(b))));
    let (colours, placing) = Colours::new(n as usize, &contacts);
    let mut rows = vec![[0.0; 8]; placing.rows];
    let mut data = placing.contact.clone();
    colours.work(&Count, &mut rows, &mut data, &mut vec![(); placing.contact.len()]);
    let mut expected = vec![0.0; n as usize];
    for (a, b) in &contacts {
        expected[*a as usize] += 1.0;
        if let Some(b) = b {
            expected[*b as usize] += 1.0;
        }
    }
    assert_eq!(rows[..n as usize].iter().map(|r| r[0]).collect::<Vec<_>>(), expected);
    assert!(
        rows.iter().skip(n as usize).all(|r| r[0] <= 1.0),
        "walls and empty lanes have rows of their own"
    );
    let mut met: Vec<u32> = placing.contact.iter().flatten().copied().filter(|&c| c != u32::MAX).collect();
    met.sort_unstable();
    assert_eq!(met, (0..contacts.len() as u32).collect::<Vec<_>>());
}

#[test]
fn helpers_do_every_batch_once_a_pass() {
    let mut rng = Rng::new(9);
    let n = 3000;
    let contacts: Vec<(u32, Option<u32>)> = (0..20_000)
        .map(|_| {
            let a = (rng.next_u64() % (n - 1)) as u32;
            (a, Some(a + 1 + (rng.next_u64() % (n - 1 - u64::from(a))) as u32))
        })
        .collect();
    let (colours, placing) = Colours::new(n as usize, &contacts);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
    for _ in 0..20 {
        let mut rows = vec![[0.0; 8]; placing.rows];
        let mut data = placing.contact.clone();
        let mut nothing = vec![(); placing.contact.len()];
        let slices = Slices { rows: &mut rows, spare: &mut [], data: &mut data, extra: &mut nothing };
        pool.install(|| {
            colours.team(&Count, slices, |team| {
                for direction in [Direction::Forwards, Direction::Backwards, Direction::Forwards] {
                    team.sweep((), direction);
                }
            });
        });
        let mut expected = vec![0.0; n as usize];
        for (a, b) in &contacts {
            expected[*a as usize] += 3.0;
            b.iter().for_each(|b| expected[*b as usize] += 3.0);
        }
        assert_eq!(rows[..n as usize].iter().map(|r| r[0]).collect::<Vec<_>>(), expected);
    }
}

/// Panics in one thread, the leader or a helper, in a batch of some stage.
struct Fails {
    in_leader: bool,
    leader: std::thread::ThreadId,
}
impl Work<[u32; LANES], ()> for Fails {
    type Pass = ();
    fn batch<L: Lanes>(
        &self,
        (): (),
        a: [&mut SolverBody; LANES],
        _: [&mut SolverBody; LANES],
        _: &mut [u32; LANES],
        _: &mut (),
    ) {
        let leading = std::thread::current().id() == self.leader;
        assert!(leading != self.in_leader, "a batch that fails");
        // Leaves the others time to claim some.
        std::thread::sleep(std::time::Duration::from_micros(20));
        a.into_iter().for_each(|row| row[0] += 1.0);
    }
}

#[test]
fn a_panic_in_a_helper_of_the_coloured_solver_does_not_hang_the_leader() {
    for in_leader in [false, true] {
        let (done, waiting) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let contacts: Vec<(u32, Option<u32>)> = (0..20_000).map(|k| (2 * k, Some(2 * k + 1))).collect();
            let (colours, placing) = Colours::new(40_000, &contacts);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
            let caught = pool.install(|| {
                let mut rows = vec![[0.0; 8]; placing.rows];
                let mut data = placing.contact.clone();
                let mut nothing = vec![(); placing.contact.len()];
                let work = Fails { in_leader, leader: std::thread::current().id() };
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    colours.work(&work, &mut rows, &mut data, &mut nothing);
                }))
            });
            let text = caught.err().and_then(|panic| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            let _ = done.send(text);
        });
        let text = waiting.recv_timeout(std::time::Duration::from_secs(60)).expect("the leader hangs");
        assert_eq!(text.as_deref(), Some("a batch that fails"), "in the leader: {in_leader}");
    }
}
