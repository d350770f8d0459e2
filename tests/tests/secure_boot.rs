//! Secure boot refuses an image without a signature, and a run says so.

use std::path::Path;
use tests::call;

/// Firmware that can do secure boot, and variables with Microsoft's keys enrolled.
const CODE: &str = "/usr/share/OVMF/OVMF_CODE_4M.secboot.fd";
const VARS: &str = "/usr/share/OVMF/OVMF_VARS_4M.ms.fd";

#[test]
fn a_refusal_by_secure_boot_is_told_as_such() {
    for file in [CODE, VARS] {
        if !Path::new(file).exists() {
            // Other distributions bring no such pair of files in a known place.
            println!("skipped: there is no {file}, which Debian's package ovmf brings");
            return;
        }
    }
    let mut flags = vec![
        "--firmware",
        "uefi",
        "--ovmf-code",
        CODE,
        "--ovmf-vars",
        VARS,
    ];
    // The variables can only be guarded where system management mode is on.
    flags.extend(["--qemu-arg=-machine", "--qemu-arg=smm=on"]);
    flags.extend(["--qemu-arg=-global"]);
    flags.extend(["--qemu-arg=driver=cfi.pflash01,property=secure,value=on"]);
    let called = call("run", &flags);
    assert_eq!(called.code, 3, "{}", called.err);
    // It is known from what the firmware says, before the time for booting is over.
    for part in ["refused to start the image", "secure boot is on"] {
        assert!(called.err.contains(part), "{part}\n{}", called.err);
    }
    assert_eq!(called.result()["runs"], serde_json::json!([]));
}
