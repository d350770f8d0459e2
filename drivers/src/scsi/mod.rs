//! SCSI as far as a disk needs it: commands, sense, discovery.
