//! Proof that the page tables in use keep the promises made of them.

/// Present, writable, large page, not executable (Intel SDM volume 3, 4.5).
const PRESENT: u64 = 1;
const WRITABLE: u64 = 1 << 1;
const LARGE: u64 = 1 << 7;
const NO_EXECUTE: u64 = 1 << 63;
const ADDRESS: u64 = 0x000f_ffff_ffff_f000;

/// What was found mapped, in bytes of address space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mapped {
    /// Executable, and so read-only.
    pub executable_bytes: u64,
    /// Writable, and so not executable.
    pub writable_bytes: u64,
    /// Neither.
    pub read_only_bytes: u64,
}

/// A broken promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The page at this address can be written and executed.
    WritableCode(u64),
    /// The guard page at this address is mapped.
    GuardMapped(u64),
}

/// Page tables as seen through `entry`, which reads entry `index` of the table at
/// a physical address.
pub struct Tables<F: Fn(u64, u64) -> u64> {
    /// Physical address of the top table.
    pub root: u64,
    /// Reads an entry.
    pub entry: F,
}

impl<F: Fn(u64, u64) -> u64> Tables<F> {
    /// Looks at every page.
    ///
    /// # Errors
    /// The first page that is both writable and executable.
    pub fn check_rights(&self) -> Result<Mapped, Violation> {
        let mut mapped = Mapped::default();
        self.visit(self.root, 3, 0, WRITABLE, &mut mapped)?;
        Ok(mapped)
    }

    /// Whether the page at `virt` is mapped.
    pub fn is_mapped(&self, virt: u64) -> bool {
        let mut table = self.root;
        for level in (0..4).rev() {
            let entry = (self.entry)(table, virt >> (12 + 9 * level) & 511);
            if entry & PRESENT == 0 {
                return false;
            }
            if entry & LARGE != 0 && level > 0 {
                return true;
            }
            table = entry & ADDRESS;
        }
        true
    }

    /// `rights` is what the levels above allow, as bits of an entry.
    fn visit(
        &self,
        table: u64,
        level: u32,
        base: u64,
        rights: u64,
        mapped: &mut Mapped,
    ) -> Result<(), Violation> {
        let bytes = 1_u64 << (12 + 9 * level);
        for index in 0..512 {
            let entry = (self.entry)(table, index);
            if entry & PRESENT == 0 {
                continue;
            }
            let mut virt = base + index * bytes;
            if level == 3 && index >= 256 {
                virt |= 0xffff << 48;
            }
            let next = entry & ADDRESS;
            let rights = (rights & entry & WRITABLE) | (rights | entry) & NO_EXECUTE;
            if level > 0 && entry & LARGE == 0 {
                // A table that appears in itself shows no page that is not seen here.
                if next != self.root {
                    self.visit(next, level - 1, virt, rights, mapped)?;
                }
                continue;
            }
            match (rights & WRITABLE != 0, rights & NO_EXECUTE == 0) {
                (true, true) => return Err(Violation::WritableCode(virt)),
                (true, false) => mapped.writable_bytes += bytes,
                (false, true) => mapped.executable_bytes += bytes,
                (false, false) => mapped.read_only_bytes += bytes,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const TOP: u64 = 0x1000;
    const HIGH: u64 = 0xffff_8000_0000_0000;

    /// Tables at 0x1000 (top), 0x2000, 0x3000, 0x4000 for the addresses from HIGH on.
    fn tables(
        middle: u64,
        entries: &[(u64, u64, u64)],
    ) -> Tables<impl Fn(u64, u64) -> u64 + use<>> {
        let mut memory = HashMap::new();
        memory.insert((TOP, 256), 0x2000 | PRESENT | WRITABLE);
        memory.insert((0x2000, 0), 0x3000 | PRESENT | middle);
        memory.insert((0x3000, 0), 0x4000 | PRESENT | WRITABLE);
        for &(table, index, entry) in entries {
            memory.insert((table, index), entry);
        }
        Tables {
            root: TOP,
            entry: move |table, index| memory.get(&(table, index)).copied().unwrap_or(0),
        }
    }

    #[test]
    fn counts_pages_by_their_rights_and_size() {
        let found = tables(
            WRITABLE,
            &[
                (0x4000, 0, 0x5000 | PRESENT),
                (0x4000, 1, 0x6000 | PRESENT | WRITABLE | NO_EXECUTE),
                (0x4000, 2, 0x7000 | PRESENT | NO_EXECUTE),
                (0x3000, 1, PRESENT | WRITABLE | NO_EXECUTE | LARGE),
                (0x2000, 1, PRESENT | WRITABLE | NO_EXECUTE | LARGE),
            ],
        );
        assert_eq!(
            found.check_rights(),
            Ok(Mapped {
                executable_bytes: 4096,
                writable_bytes: 4096 + (2 << 20) + (1 << 30),
                read_only_bytes: 4096,
            })
        );
    }

    #[test]
    fn a_writable_executable_page_is_found_wherever_it_is() {
        let small = tables(WRITABLE, &[(0x4000, 511, 0x5000 | PRESENT | WRITABLE)]);
        assert_eq!(
            small.check_rights(),
            Err(Violation::WritableCode(HIGH + 511 * 4096))
        );
        let large = tables(WRITABLE, &[(0x3000, 3, PRESENT | WRITABLE | LARGE)]);
        assert_eq!(
            large.check_rights(),
            Err(Violation::WritableCode(HIGH + 3 * (2 << 20)))
        );
    }

    #[test]
    fn rights_are_those_of_all_levels_together() {
        let page = (0x4000, 0, 0x5000 | PRESENT | WRITABLE);
        let read_only_above = tables(0, &[page]);
        assert_eq!(
            read_only_above.check_rights().unwrap().executable_bytes,
            4096
        );
        let no_execute_above = tables(WRITABLE | NO_EXECUTE, &[page]);
        assert_eq!(
            no_execute_above.check_rights().unwrap().writable_bytes,
            4096
        );
    }

    #[test]
    fn a_recursive_entry_ends() {
        let found = tables(WRITABLE, &[(TOP, 511, TOP | PRESENT | WRITABLE)]);
        assert_eq!(found.check_rights(), Ok(Mapped::default()));
    }

    #[test]
    fn finds_what_is_mapped_and_what_is_not() {
        let found = tables(
            WRITABLE,
            &[
                (0x4000, 7, 0x5000 | PRESENT),
                (0x3000, 1, PRESENT | WRITABLE | NO_EXECUTE | LARGE),
            ],
        );
        assert!(found.is_mapped(HIGH + 7 * 4096));
        assert!(!found.is_mapped(HIGH + 6 * 4096));
        assert!(found.is_mapped(HIGH + (3 << 20)));
        assert!(!found.is_mapped(0));
    }
}
