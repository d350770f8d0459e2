//! The file's form, and the order in which its parts apply.

use super::{errors, job, lines_of, parsed, set};
use crate::job::{JobFile, Rw};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

fn names(file: &JobFile) -> Vec<&str> {
    file.jobs.iter().map(|job| job.name.as_str()).collect()
}

#[test]
fn comments_blanks_and_line_ends_do_not_count() {
    let text = "\u{feff}; c\r\n  # c\r\n\r\n  [ a ]  ; c\r\n\t bs = 8k # c\r\niodepth=4;c\r\n";
    let file = parsed(text);
    assert_eq!(names(&file), ["a"]);
    assert_eq!(
        (file.jobs[0].bs.read_bytes, file.jobs[0].iodepth),
        (8192, 4)
    );
    assert_eq!(job("iodepth=4\n;iodepth=8\n#[b]\n").iodepth, 4);
}

#[test]
fn a_global_section_holds_for_jobs_below_it() {
    let file = parsed(
        "[before]\n[global]\niodepth=4\nbs=8k\nstonewall\n[a]\n[b]\niodepth=8\n\
         [global]\niodepth=16\n[c]\n",
    );
    let values: Vec<(&str, u32, u64)> = file
        .jobs
        .iter()
        .map(|job| (job.name.as_str(), job.iodepth, job.bs.read_bytes))
        .collect();
    assert_eq!(
        values,
        [
            ("before", 1, 4096),
            ("a", 4, 8192),
            ("b", 8, 8192),
            ("c", 16, 8192)
        ]
    );
}

#[test]
fn the_later_of_two_equal_keys_holds() {
    assert_eq!(job("iodepth=4\nrw=write\niodepth=8").iodepth, 8);
    assert_eq!(job("bs=4k\nblocksize=8k").bs.write_bytes, 8192);
}

#[test]
fn a_name_that_starts_with_global_is_global_as_in_fio() {
    let file = parsed("[globals]\niodepth=4\n[a]\n");
    assert_eq!(names(&file), ["a"]);
    assert_eq!(file.jobs[0].iodepth, 4);
    assert_eq!(
        file.notes,
        ["t.fio:1: [globals] is a global section, as its name starts with `global`"]
    );
}

#[test]
fn jobs_may_share_a_name() {
    assert_eq!(names(&parsed("[a]\n[a]\nstonewall\n")), ["a", "a"]);
}

#[test]
fn jobs_that_fio_would_start_together_are_noted() {
    let file = parsed("[a]\n[b]\n[c]\n");
    assert_eq!(
        file.notes,
        [
            "job `b` has no `stonewall`: fio would start it beside the job before; \
          here jobs run one after another"
        ]
    );
    assert!(parsed("[a]\n[b]\nstonewall\n").notes.is_empty());
}

#[test]
fn overrides_come_last_and_reach_every_job() {
    let text = "[global]\niodepth=4\n[a]\nrw=read\n[b]\nstonewall\niodepth=8\nrw=write\n";
    let overrides = [set("rw", "randread"), set(" bs ", " 64k ")];
    let file = JobFile::parse("t.fio", text, &overrides).unwrap();
    let values: Vec<_> = file
        .jobs
        .iter()
        .map(|job| (job.rw, job.iodepth, job.bs.read_bytes))
        .collect();
    assert_eq!(values, [(Rw::RandRead, 4, 65536), (Rw::RandRead, 8, 65536)]);
    assert!(file.notes.is_empty());
}

#[test]
fn the_later_of_two_equal_overrides_holds() {
    let overrides = [set("iodepth", "4"), set("iodepth", "8")];
    let file = JobFile::parse("t.fio", "[a]", &overrides).unwrap();
    assert_eq!(file.jobs[0].iodepth, 8);
}

#[test]
fn kb_base_may_be_overridden() {
    let overrides = [set("kb_base", "1000")];
    let file = JobFile::parse("t.fio", "[a]\nsize=1m", &overrides).unwrap();
    assert_eq!(
        file.jobs[0].size,
        Some(crate::job::Extent::Bytes(1_000_000))
    );
}

#[test]
fn a_note_of_an_override_names_it() {
    let file = JobFile::parse("t.fio", "[a]", &[set("direct", "1")]).unwrap();
    assert_eq!(
        file.notes,
        ["--set direct: `direct` is accepted and has no effect: every I/O goes to the device"]
    );
}

#[test]
fn jobs_made_alike_by_overrides_run_once() {
    let text = "[a]\niodepth=1\n[b]\nstonewall\niodepth=32\n[c]\nstonewall\nrw=write\n";
    let file = JobFile::parse("t.fio", text, &[set("iodepth", "8")]).unwrap();
    assert_eq!(names(&file), ["a", "c"]);
    assert_eq!(
        file.notes,
        ["jobs `a` and `b` are the same under --set; `a` runs"]
    );
    // Alike in the file already: meant to be repeated.
    let text = "[a]\n[b]\nstonewall\n";
    let file = JobFile::parse("t.fio", text, &[set("iodepth", "8")]).unwrap();
    assert_eq!(names(&file), ["a", "b"]);
}

#[test]
fn the_canonical_text_is_short_and_complete() {
    let text = "[global]\nkb_base=1000\ntime_based\nruntime=1500ms\nrwmixwrite=30\ndirect=1\n\
                [a]\nbs=4Ki,65536\nsize=1m\n[b]\nstonewall\ndo_verify=0\niodepth=8\niodepth_batch=0\n";
    let file = parsed(text);
    assert_eq!(
        file.to_text(),
        "[a]\nbs=4k,64k\nrwmixread=70\nsize=1000000\nruntime=1500ms\ntime_based=1\n\
         [b]\niodepth=8\niodepth_batch_submit=8\nrwmixread=70\nruntime=1500ms\ntime_based=1\n\
         do_verify=0\nstonewall=1\n"
    );
    let again = parsed(&file.to_text());
    assert_eq!(again.jobs, file.jobs);
    assert_eq!(again.notes, Vec::<String>::new());
}

#[test]
fn file_names_are_given_back() {
    assert_eq!(errors("[a]\nx=1")[0].split(':').next(), Some("t.fio"));
    let odd = JobFile::parse("a b:c.fio", "[a]\nrw=1", &[]);
    assert!(lines_of(odd)[0].starts_with(&"a b:c.fio:2: ".to_string()));
}
