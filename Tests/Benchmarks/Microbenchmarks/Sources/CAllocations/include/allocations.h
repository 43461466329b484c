#ifndef ONEFIX_ALLOCATIONS_H
#define ONEFIX_ALLOCATIONS_H

#include <stdint.h>

/// Returns the number of calls of malloc, calloc, realloc, aligned_alloc and posix_memalign in all threads so far.
uint64_t onefix_allocation_count(void);

/// Returns the processor time of this thread, in nanoseconds. Other programs on the machine do not count.
int64_t onefix_processor_nanoseconds(void);

#endif
