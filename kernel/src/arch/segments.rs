//! Segments and the task state segment, which names the interrupt stacks.

use super::stacks;
use spin::Once;
use x86_64::instructions::segmentation::{CS, DS, ES, FS, GS, SS, Segment};
use x86_64::instructions::tables::load_tss;
use x86_64::structures::gdt::{Descriptor, GlobalDescriptorTable, SegmentSelector};
use x86_64::structures::tss::TaskStateSegment;

static TASK: Once<TaskStateSegment> = Once::new();
static TABLE: Once<(GlobalDescriptorTable, Selectors)> = Once::new();

#[derive(Clone, Copy)]
struct Selectors {
    code: SegmentSelector,
    data: SegmentSelector,
    task: SegmentSelector,
}

/// Loads both.
pub(super) fn load() {
    let task = TASK.call_once(|| {
        let mut task = TaskStateSegment::new();
        // Packed, so it is filled aside and stored whole.
        let mut tops = task.interrupt_stack_table;
        for (slot, top) in tops.iter_mut().zip(stacks::tops()) {
            *slot = top;
        }
        task.interrupt_stack_table = tops;
        task
    });
    let (table, selectors) = TABLE.call_once(|| {
        let mut table = GlobalDescriptorTable::new();
        let selectors = Selectors {
            code: table.append(Descriptor::kernel_code_segment()),
            data: table.append(Descriptor::kernel_data_segment()),
            task: table.append(Descriptor::tss_segment(task)),
        };
        (table, selectors)
    });
    table.load();
    // SAFETY: 64-bit code of ring 0 in the table just loaded.
    unsafe { CS::set_reg(selectors.code) };
    // SAFETY: flat data of ring 0 in the table just loaded.
    unsafe { SS::set_reg(selectors.data) };
    // SAFETY: as above.
    unsafe { DS::set_reg(selectors.data) };
    // SAFETY: as above.
    unsafe { ES::set_reg(selectors.data) };
    // SAFETY: null, so that a stray use faults.
    unsafe { FS::set_reg(SegmentSelector::NULL) };
    // SAFETY: as above.
    unsafe { GS::set_reg(SegmentSelector::NULL) };
    // SAFETY: the descriptor of a static task state segment, not busy yet.
    unsafe { load_tss(selectors.task) };
}
