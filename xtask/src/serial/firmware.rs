//! What UEFI says on the serial line when it does not start the image
//! (EDK2, MdeModulePkg/Library/UefiBootManagerLib).

/// Why the firmware will never start the guest, if a line says that.
#[must_use]
pub fn refusal(line: &str) -> Option<String> {
    let (_, said) = line.split_once("BdsDxe: ")?;
    let said = said.trim();
    let status = said.rsplit(": ").next().unwrap_or_default();
    if said.starts_with("failed to ") && DENIED.contains(&status) {
        return Some(format!(
            "the firmware refused to start the image ({status}): secure boot is on, and the \
             image carries no signature. Switch secure boot off"
        ));
    }
    said.starts_with("No bootable option")
        .then(|| format!("the firmware does not boot the image: {said}"))
}

/// EFI_ACCESS_DENIED and EFI_SECURITY_VIOLATION, as EDK2 prints them: an image that
/// fails verification is one of the two (UEFI 2.10, 7.4.1).
const DENIED: [&str; 2] = ["Access Denied", "Security Violation"];

#[cfg(test)]
mod tests {
    use super::*;

    const DENIAL: &str = "\u{1b}[2J\u{1b}[01;01HBdsDxe: failed to load Boot0001 \"UEFI QEMU \
                          DVD-ROM QM00001 \" from PciRoot(0x0)/Pci(0x1F,0x2): Access Denied\r";

    #[test]
    fn secure_boot_is_named_as_the_cause() {
        let why = refusal(DENIAL).unwrap();
        assert!(
            why.contains("Access Denied") && why.contains("secure boot"),
            "{why}"
        );
        let violation = DENIAL.replace("Access Denied", "Security Violation");
        assert!(refusal(&violation).unwrap().contains("secure boot"));
    }

    #[test]
    fn nothing_to_boot_is_told_as_such() {
        let why = refusal("BdsDxe: No bootable option or device was found.\r").unwrap();
        assert!(
            why.ends_with("No bootable option or device was found."),
            "{why}"
        );
        assert!(!why.contains("secure"), "{why}");
    }

    #[test]
    fn other_lines_refuse_nothing() {
        for line in [
            "BdsDxe: loading Boot0001 \"UEFI QEMU DVD-ROM QM00001 \" from PciRoot(0x0)",
            "BdsDxe: failed to load Boot0001 \"UEFI PXEv4\" from PciRoot(0x0): Not Found",
            "someone says Access Denied",
            "",
        ] {
            assert_eq!(refusal(line), None, "{line}");
        }
    }
}
