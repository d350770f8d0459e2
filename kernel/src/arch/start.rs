//! How a guest program starts, and what its runtime consists of.
//!
//! Recipe for a program that runs on this kernel library:
//! 1. `#![no_std] #![no_main]`, and `kernel::guest!(main);` at the crate's root,
//!    with `fn main(info: &'static mut BootInfo) -> !`.
//! 2. In `build.rs`, pass the linker the options that `guest/build.rs` passes, with `kernel/link.ld` as its script.
//! 3. `[[bin]] test = false, bench = false`, because it cannot run on the host.

use bootloader_api::BootloaderConfig;
use bootloader_api::config::Mapping;

/// Bytes of the kernel's stack.
const STACK_BYTES: u64 = 128 * 1024;
/// Start of the upper half of the address space.
const UPPER_HALF: u64 = 0xffff_8000_0000_0000;

/// What the kernel asks of its loader: all physical memory mapped, and everything
/// in the upper half, so that null pointers and their neighbours fault.
pub const CONFIG: BootloaderConfig = {
    let mut config = BootloaderConfig::new_default();
    config.kernel_stack_size = STACK_BYTES;
    config.mappings.physical_memory = Some(Mapping::Dynamic);
    config.mappings.dynamic_range_start = Some(UPPER_HALF);
    config
};

/// Everything that a bare-metal program needs once: the entry, the loader's
/// configuration, the panic handler, the heap, and the functions that compiled
/// code expects of a C library.
///
/// The entry turns SSE on before any compiled code runs, because compiled code
/// uses it. The memory functions are assembly because a loop in Rust may be
/// compiled into a call to the very function that it implements. Unwinding is off,
/// but the precompiled libraries name its functions.
#[macro_export]
macro_rules! guest {
    ($main:path) => {
        const _: () = {
            #[used]
            #[unsafe(link_section = ".bootloader-config")]
            static CONFIG: [u8; ::bootloader_api::BootloaderConfig::SERIALIZED_LEN] =
                $crate::arch::start::CONFIG.serialize();

            #[global_allocator]
            static HEAP: $crate::memory::heap::KernelHeap = $crate::memory::heap::KernelHeap;

            #[panic_handler]
            fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
                $crate::exit::panic(info)
            }

            /// # Safety
            /// To be entered by the loader alone.
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "sysv64" fn _start() -> ! {
                ::core::arch::naked_asm!(
                    // CR0: not EM, not TS; MP. CR4: OSFXSR, OSXMMEXCPT.
                    "cli",
                    "cld",
                    "mov rax, cr0",
                    "and eax, 0xfffffff3",
                    "or eax, 2",
                    "mov cr0, rax",
                    "mov rax, cr4",
                    "or eax, 0x600",
                    "mov cr4, rax",
                    "jmp {started}",
                    started = sym started,
                )
            }

            extern "sysv64" fn started(info: &'static mut ::bootloader_api::BootInfo) -> ! {
                let main: fn(&'static mut ::bootloader_api::BootInfo) -> ! = $main;
                main(info)
            }
        };

        ::core::arch::global_asm!(
            ".section .text.runtime, \"ax\", @progbits",
            ".globl memcpy",
            "memcpy:",
            "mov rax, rdi",
            "mov rcx, rdx",
            "shr rcx, 3",
            "rep movsq",
            "mov ecx, edx",
            "and ecx, 7",
            "rep movsb",
            "ret",
            // Upwards, unless the target starts inside the source.
            ".globl memmove",
            "memmove:",
            "mov r8, rdi",
            "sub r8, rsi",
            "cmp r8, rdx",
            "jae memcpy",
            "mov rax, rdi",
            "mov rcx, rdx",
            "std",
            "lea rdi, [rdi + rdx - 1]",
            "lea rsi, [rsi + rdx - 1]",
            "rep movsb",
            "cld",
            "ret",
            ".globl memset",
            "memset:",
            "mov r8, rdi",
            "movzx esi, sil",
            "mov rax, 0x0101010101010101",
            "imul rax, rsi",
            "mov rcx, rdx",
            "shr rcx, 3",
            "rep stosq",
            "mov ecx, edx",
            "and ecx, 7",
            "rep stosb",
            "mov rax, r8",
            "ret",
            // Comparing a register with itself sets the flags to equal, which is
            // the answer for a length of 0.
            ".globl memcmp",
            ".globl bcmp",
            "memcmp:",
            "bcmp:",
            "xor eax, eax",
            "mov rcx, rdx",
            "cmp rcx, rcx",
            "repe cmpsb",
            "je 3f",
            "movzx eax, byte ptr [rdi - 1]",
            "movzx ecx, byte ptr [rsi - 1]",
            "sub eax, ecx",
            "3:",
            "ret",
            ".globl _Unwind_Resume",
            ".globl rust_eh_personality",
            "_Unwind_Resume:",
            "rust_eh_personality:",
            "ud2",
            ".text",
        );
    };
}
