//! The table and the tests agree.

use crate::{model, qemu};
use std::collections::BTreeSet;
use xtask::faults::{CONTROLLERS, Cell, MATRIX};

#[test]
fn no_cell_is_empty_and_no_test_stands_apart() {
    for (place, made) in [("model", model::MADE), ("qemu", qemu::MADE)] {
        let made: BTreeSet<_> = made.iter().copied().collect();
        let mut wanted = BTreeSet::new();
        for fault in &MATRIX {
            let cells = CONTROLLERS.iter().zip(fault.cells);
            let here = cells.filter(|(_, cell)| cell.is_made(place));
            wanted.extend(here.map(|(controller, _)| (*controller, fault.name)));
        }
        assert_eq!(made, wanted, "{place}");
    }
}

#[test]
fn what_cannot_be_made_has_a_reason() {
    let cells = MATRIX.iter().flat_map(|fault| fault.cells);
    for reason in cells.filter_map(|cell| match cell {
        Cell::No(reason) => Some(reason),
        _ => None,
    }) {
        assert!(reason.len() > 20, "{reason}");
    }
    let names: BTreeSet<_> = MATRIX.iter().map(|fault| fault.name).collect();
    assert_eq!(names.len(), MATRIX.len());
}
