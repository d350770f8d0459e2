//! The interrupt table and the entry code of all 256 vectors.
//!
//! Exceptions end in a report. Interrupts are noted, and the program goes on.

use super::frame::Frame;
use super::{fault, interrupts, stacks::Use};
use core::arch::naked_asm;
use spin::Once;
use x86_64::VirtAddr;
use x86_64::structures::idt::InterruptDescriptorTable;

/// Bytes between the entries of two vectors.
const ENTRY_BYTES: u64 = 16;
/// Vectors for which the processor pushes an error code, as bits (Intel SDM volume
/// 3, table 6-1; 29 and 30: AMD APM volume 2, 8.2).
const WITH_ERROR_CODE: u32 = 1 << 8
    | 1 << 10
    | 1 << 11
    | 1 << 12
    | 1 << 13
    | 1 << 14
    | 1 << 17
    | 1 << 21
    | 1 << 29
    | 1 << 30;

static TABLE: Once<InterruptDescriptorTable> = Once::new();

/// Fills the table and loads it.
pub(super) fn load() {
    TABLE.call_once(build).load();
}

fn build() -> InterruptDescriptorTable {
    let mut table = InterruptDescriptorTable::new();
    // Each field of the table has a type of its own, and so a line of its own.
    macro_rules! set {
        ($($field:ident = $vector:literal on $stack:ident),* $(,)?) => {
            $({
                // SAFETY: the entry code of this vector, which returns as it shall, or never.
                let options = unsafe { table.$field.set_handler_addr(entry_of($vector)) };
                // SAFETY: segments::load gave every use a stack.
                unsafe { options.set_stack_index(Use::$stack as u16) };
            })*
        };
    }
    set!(
        divide_error = 0 on Common,
        debug = 1 on Common,
        non_maskable_interrupt = 2 on NonMaskable,
        breakpoint = 3 on Common,
        overflow = 4 on Common,
        bound_range_exceeded = 5 on Common,
        invalid_opcode = 6 on Common,
        device_not_available = 7 on Common,
        double_fault = 8 on DoubleFault,
        invalid_tss = 10 on Common,
        segment_not_present = 11 on Common,
        stack_segment_fault = 12 on Common,
        general_protection_fault = 13 on Common,
        page_fault = 14 on Common,
        x87_floating_point = 16 on Common,
        alignment_check = 17 on Common,
        machine_check = 18 on MachineCheck,
        simd_floating_point = 19 on Common,
        virtualization = 20 on Common,
        cp_protection_exception = 21 on Common,
        hv_injection_exception = 28 on Common,
        vmm_communication_exception = 29 on Common,
        security_exception = 30 on Common,
    );
    for vector in 32..=255_u8 {
        // SAFETY: the entry code of this vector, which returns as it shall, or never.
        let options = unsafe { table[vector].set_handler_addr(entry_of(vector)) };
        // SAFETY: segments::load gave every use a stack.
        unsafe { options.set_stack_index(Use::Common as u16) };
    }
    table
}

fn entry_of(vector: u8) -> VirtAddr {
    VirtAddr::new(entries as *const () as u64 + u64::from(vector) * ENTRY_BYTES)
}

/// 256 entries of 16 bytes: each makes the stack alike (error code, vector) and
/// goes on to [`save`].
#[unsafe(naked)]
unsafe extern "C" fn entries() {
    naked_asm!(
        ".balign 16",
        ".set ioprobe_vector, 0",
        ".rept 256",
        ".balign {entry_bytes}",
        ".if ioprobe_vector < 32",
        ".if (({with_error_code} >> ioprobe_vector) & 1) == 0",
        "push 0",
        ".endif",
        ".else",
        "push 0",
        ".endif",
        "push ioprobe_vector",
        "jmp {save}",
        ".set ioprobe_vector, ioprobe_vector + 1",
        ".endr",
        entry_bytes = const ENTRY_BYTES,
        with_error_code = const WITH_ERROR_CODE,
        save = sym save,
    )
}

/// Pushes the registers of [`Frame`], hands it over, and returns to where it came
/// from. Registers of the SSE are not kept: code that takes interrupts expects them
/// to change. The processor aligned the
/// stack to 16 before it pushed 5 words; with 17 more the sum is even, so the call
/// finds it aligned again.
#[unsafe(naked)]
unsafe extern "C" fn save() {
    naked_asm!(
        "push rax",
        "push rbx",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "push rbp",
        "push r8",
        "push r9",
        "push r10",
        "push r11",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov rdi, rsp",
        "cld",
        "call {arrived}",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop r11",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rbp",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop rbx",
        "pop rax",
        // The vector and the error code.
        "add rsp, 16",
        "iretq",
        arrived = sym arrived,
    )
}

extern "sysv64" fn arrived(frame: &mut Frame) {
    if frame.vector < interrupts::FIRST_INTERRUPT {
        fault::report(frame);
    }
    interrupts::handle(frame);
}
