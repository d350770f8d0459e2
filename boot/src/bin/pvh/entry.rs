//! The first instructions: from 32-bit protected mode to Rust.
//!
//! The state at the entry is the PVH contract (Xen docs/misc/pvh.pandoc, "x86/HVM
//! direct boot ABI"): paging off, flat segments, interrupts off, EBX holds the
//! physical address of the start_info. A BIOS stage that builds a start_info may
//! jump here as well.
//!
//! Memory up to 4 GiB is mapped one to one with 2 MiB pages; SSE is on before any
//! Rust code runs, because compiled code uses it.

use core::arch::global_asm;

/// Bytes of the loader's stack.
const STACK_BYTES: usize = 64 * 1024;

global_asm!(
    // Note "Xen", type 18 XEN_ELFNOTE_PHYS32_ENTRY: where to start.
    ".section .note.pvh, \"a\", @note",
    ".balign 4",
    ".long 4, 8, 18",
    ".asciz \"Xen\"",
    ".quad pvh_entry",

    ".section .text.pvh, \"ax\", @progbits",
    ".code32",
    ".globl pvh_entry",
    "pvh_entry:",
    "cli",
    "cld",
    "rdtsc",
    "mov esi, eax",
    "mov edi, edx",
    "mov esp, offset boot_stack_top",
    // Long mode: CPUID 0x80000001 EDX bit 29.
    "push ebx",
    "mov eax, 0x80000000",
    "cpuid",
    "cmp eax, 0x80000001",
    "jb 8f",
    "mov eax, 0x80000001",
    "cpuid",
    "bt edx, 29",
    "jnc 8f",
    "pop ebx",

    // One top table, one entry; four directories of 512 pages of 2 MiB.
    "mov eax, offset boot_pdpt",
    "or eax, 3",
    "mov [boot_pml4], eax",
    "mov eax, offset boot_directories",
    "or eax, 3",
    "xor ecx, ecx",
    "2:",
    "mov [boot_pdpt + ecx * 8], eax",
    "add eax, 4096",
    "inc ecx",
    "cmp ecx, 4",
    "jb 2b",
    // Present, writable, large.
    "mov eax, 0x83",
    "xor ecx, ecx",
    "3:",
    "mov [boot_directories + ecx * 8], eax",
    "add eax, 0x200000",
    "inc ecx",
    "cmp ecx, 2048",
    "jb 3b",
    "mov eax, offset boot_pml4",
    "mov cr3, eax",

    // CR4: PAE, OSFXSR, OSXMMEXCPT.
    "mov eax, cr4",
    "or eax, 0x620",
    "mov cr4, eax",
    // EFER.LME.
    "mov ecx, 0xc0000080",
    "rdmsr",
    "or eax, 0x100",
    "wrmsr",
    // CR0: not EM, not TS; PG, NE, MP, PE.
    "mov eax, cr0",
    "and eax, 0xfffffff3",
    "or eax, 0x80000023",
    "mov cr0, eax",
    "lgdt [boot_gdt_pointer]",
    // Far return instead of a far jump, which assemblers spell in several ways.
    "push 8",
    "mov eax, offset pvh_entry_64",
    "push eax",
    "retf",

    // No long mode. Nothing below 64 bit is supported, so say it and stop.
    "8:",
    "mov esi, offset no_long_mode",
    "mov dx, 0x3f8",
    "9:",
    "lodsb",
    "test al, al",
    "jz 7f",
    "out dx, al",
    "jmp 9b",
    "7:",
    "mov al, {failed}",
    "out 0xf4, al",
    "6:",
    "hlt",
    "jmp 6b",

    ".code64",
    "pvh_entry_64:",
    "mov ax, 16",
    "mov ds, ax",
    "mov es, ax",
    "mov ss, ax",
    "xor eax, eax",
    "mov fs, ax",
    "mov gs, ax",
    "mov rsp, offset boot_stack_top",
    // start_info and the time, both zero-extended from 32-bit halves.
    "shl rdi, 32",
    "or rsi, rdi",
    "mov edi, ebx",
    "xor ebp, ebp",
    "call {main}",
    "ud2",

    ".section .rodata.pvh, \"a\", @progbits",
    "no_long_mode: .asciz \"ioprobe: this processor has no 64-bit mode\\r\\n\"",
    ".balign 8",
    "boot_gdt: .quad 0, 0x00af9b000000ffff, 0x00cf93000000ffff",
    "boot_gdt_pointer: .word 23",
    ".quad boot_gdt",

    ".section .bss.pvh, \"aw\", @nobits",
    ".balign 4096",
    "boot_pml4: .skip 4096",
    "boot_pdpt: .skip 4096",
    "boot_directories: .skip 4 * 4096",
    "boot_stack: .skip {stack}",
    "boot_stack_top:",
    ".text",
    stack = const STACK_BYTES,
    failed = const boot::FAILED_EXIT_CODE,
    main = sym crate::pvh_main,
);
