//! Host side of ioprobe: build, boot, follow, report.
#![forbid(unsafe_code)]
