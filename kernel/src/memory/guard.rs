//! Guard pages: never mapped, so that running off a stack is a page fault.

use super::audit::{Tables, Violation};
use super::{physical, tables};
use spin::Mutex;
use x86_64::registers::control::Cr3;

const PAGE: u64 = 4096;
/// Guard pages that can be known by name.
const KNOWN: usize = 8;

#[derive(Clone, Copy)]
struct Guard {
    page: u64,
    what: &'static str,
}

static GUARDS: Mutex<[Option<Guard>; KNOWN]> = Mutex::new([None; KNOWN]);

/// Remembers that the page at `page` is the guard of `what`.
pub(crate) fn add(page: u64, what: &'static str) {
    let mut guards = GUARDS.lock();
    if let Some(slot) = guards.iter_mut().find(|slot| slot.is_none()) {
        *slot = Some(Guard { page, what });
    }
}

/// Whose guard page `address` lies in. Asked while a fault is reported, so a lock
/// that is held gives no name instead of a wait.
#[must_use]
pub fn owner(address: u64) -> Option<&'static str> {
    let guards = GUARDS.try_lock()?;
    let found = guards
        .iter()
        .flatten()
        .find(|guard| guard.page == address & !(PAGE - 1));
    found.map(|guard| guard.what)
}

/// Unmaps the first page of a static that was laid out to have its guard there.
///
/// # Safety
/// Nobody may ever use that page.
pub(super) unsafe fn unmap(page: u64, what: &'static str) {
    // SAFETY: the caller's promise.
    if unsafe { tables::unmap(page) } {
        add(page, what);
    }
}

/// Proves of the active page tables that no page is writable and executable and
/// that no guard page is mapped; gives what is mapped and how many guards there are.
///
/// # Errors
/// The first promise that is broken.
pub fn audit() -> Result<(super::audit::Mapped, usize), Violation> {
    let (root, _) = Cr3::read();
    let tables = Tables {
        root: root.start_address().as_u64(),
        entry: |table, index| {
            let Some(table) = physical::pointer(table) else {
                return 0;
            };
            // SAFETY: the entries of the active tables are memory, which is mapped
            // there; an index stays below 512.
            let entry = unsafe { table.cast::<u64>().add(index as usize) };
            // SAFETY: as above; nobody changes the tables now.
            unsafe { entry.read() }
        },
    };
    let mapped = tables.check_rights()?;
    let guards = *GUARDS.lock();
    for guard in guards.iter().flatten() {
        if tables.is_mapped(guard.page) {
            return Err(Violation::GuardMapped(guard.page));
        }
    }
    Ok((mapped, guards.iter().flatten().count()))
}
