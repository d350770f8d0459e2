//! The code of a disk's first block: it makes room and loads the stage.
//!
//! A BIOS starts it at 0x7c00 with the drive's number in DL. The stage lies from
//! block 34 on, directly behind the partition table, whatever the partitions are.

use core::arch::global_asm;

/// First block of the stage: what GPT leaves free first (UEFI 2.10, 5.3.1).
const STAGE_BLOCK: u32 = 34;
const STAGE_BLOCKS: u32 = 4;
const ATTEMPTS: u32 = 5;

global_asm!(
    ".section .mbr, \"awx\", @progbits",
    ".code16",
    "cli",
    "xor ax, ax",
    "mov ds, ax",
    "mov es, ax",
    "mov ss, ax",
    "mov sp, 0x7c00",
    "sti",
    "cld",
    // The stage goes where this is now.
    "mov si, 0x7c00",
    "mov di, 0x600",
    "mov cx, 256",
    "rep movsw",
    // Far return instead of a far jump, which assemblers spell in several ways.
    "xor eax, eax",
    "push eax",
    "mov ax, offset mbr_moved",
    "push eax",
    "retf",
    "mbr_moved:",
    "mov bp, {attempts}",
    "2:",
    // A BIOS may change the count when it fails.
    "mov word ptr [mbr_count], {blocks}",
    "mov si, offset mbr_packet",
    "mov ah, 0x42",
    "push dx",
    "int 0x13",
    "pop dx",
    "jnc 3f",
    "xor ax, ax",
    "push dx",
    "int 0x13",
    "pop dx",
    "dec bp",
    "jnz 2b",
    "mov si, offset mbr_failed",
    "4:",
    "lodsb",
    "test al, al",
    "jz 5f",
    "mov ah, 0x0e",
    "mov bx, 7",
    "int 0x10",
    "jmp 4b",
    "5:",
    "hlt",
    "jmp 5b",
    "3:",
    "xor eax, eax",
    "push eax",
    "mov ax, 0x7c00",
    "push eax",
    "retf",

    "mbr_failed: .asciz \"ioprobe: the disk cannot be read\\r\\n\"",
    // Disk address packet: size, count, offset and segment, first block.
    ".balign 4",
    "mbr_packet: .byte 16, 0",
    "mbr_count: .word 0",
    ".word 0x7c00, 0",
    ".long {block}, 0",
    ".code64",
    ".text",
    attempts = const ATTEMPTS,
    block = const STAGE_BLOCK,
    blocks = const STAGE_BLOCKS,
);
