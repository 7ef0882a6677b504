// SPDX-License-Identifier: Apache-2.0
#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this build counts: only where glibc gives the names to stand in front of.
bool allocation_counter_is_counting(void);

/// The blocks of memory that the process has asked for so far, on all threads; a grown block counts again.
uint64_t allocation_counter_value(void);

/// The processor time that the process has used so far, all threads, in nanoseconds.
uint64_t allocation_counter_cpu_nanoseconds(void);

#endif
