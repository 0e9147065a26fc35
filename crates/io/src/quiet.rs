//! Silences a caught panic, which the default hook would print as if the program had crashed.

use std::{cell::Cell, panic, sync::Once};

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`; a panic of this thread inside it prints nothing. Panics elsewhere print as always.
pub(crate) fn without_panic_message<T>(f: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.with(Cell::get) {
                before(info);
            }
        }));
    });
    let before = QUIET.with(|q| q.replace(true));
    let value = f();
    QUIET.with(|q| q.set(before));
    value
}
