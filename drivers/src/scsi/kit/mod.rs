//! Tests that every driver of SCSI commands on rings must pass, whatever its rings are
//! like: written once, for any [`Bench`].
//!
//! A driver's tests implement [`Bench`] for its device model, and [`tests_for`] makes
//! the tests of it. What only one driver has is tested beside it.

mod bench;
pub(crate) mod bring_up;
pub(crate) mod errors;
pub(crate) mod io;
pub(crate) mod properties;
pub(crate) mod reset;
pub(crate) mod transfer;
pub(crate) mod trouble;

pub(crate) use bench::{
    Bench, Machine, Model, Q, one_disk, read, ready, reap_all, reap_from, request, run,
    submit_reads,
};

/// Makes a test for a bench of each of the kit.
macro_rules! tests_for {
    ($bench:ty) => {
        $crate::scsi::kit::tests_for! { $bench:
            bring_up {
                sixty_four_disks_tell_their_attention_and_are_all_found
                what_is_no_disk_is_ignored
                a_controller_without_disks_starts
                a_device_that_is_gone_says_so
                a_device_that_goes_during_the_scan_says_so
                a_mute_device_ends_the_start_in_time
                a_silent_unit_is_noted_and_the_rest_works
                want_of_memory_is_an_error_and_leaves_nothing_behind
                everything_works_below_and_across_4_gib
            }
            errors {
                faults_of_a_unit_become_their_kind
                sense_of_an_earlier_command_is_not_taken_again
                a_read_past_the_end_after_a_shrink_tells_its_sense
                a_write_protected_disk_is_known_before_it_is_written
            }
            io {
                what_was_written_is_read_back_and_neighbours_stay
                five_mebibytes_and_more_go_in_one_command
                addresses_beyond_32_bits_reach_the_right_block
                each_disk_gets_its_own_requests
                flush_durable_writes_and_trim_do_what_they_say
                trims_in_flight_keep_their_own_ranges
                trim_needs_a_disk_that_takes_it
                requests_that_name_nothing_are_refused_unseen
                a_batch_costs_one_doorbell_and_no_read
                reap_fills_what_it_is_given_and_keeps_the_rest
            }
            reset {
                a_reset_forgets_what_was_in_flight_and_goes_on
                other_options_are_refused_without_harm
                commands_are_counted_over_all_set_ups
                after_shutdown_the_device_has_no_rings
                memory_is_freed_after_the_device_let_go_of_it
            }
            transfer {
                each_disk_ends_where_it_ends
                nothing_is_read_before_a_first_good_request
                data_stay_inside_their_buffer
                a_disk_that_shrank_is_asked_for_no_more
            }
            trouble {
                a_runaway_index_is_not_followed
                an_index_on_an_idle_ring_is_not_followed
                a_doubled_completion_counts_once
                a_stale_completion_does_not_end_the_next_command_of_its_slot
                what_was_not_published_cannot_complete
                good_completions_beside_bad_ones_are_kept
                published_completions_are_taken_while_others_wait_for_the_doorbell
                a_device_that_never_answers_holds_nobody
                a_slow_device_completes_later
                a_device_that_vanishes_with_commands_open_leaves_them_open
            }
        }
    };
    ($bench:ty: $($part:ident { $($test:ident)* })*) => {
        $(mod $part {
            $(#[test]
            fn $test() {
                $crate::scsi::kit::$part::$test::<$bench>();
            })*
        })*
    };
}
pub(crate) use tests_for;
