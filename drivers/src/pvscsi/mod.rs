//! VMware PVSCSI.
