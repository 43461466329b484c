#ifndef ONEFIX_ALLOCATIONS_H
#define ONEFIX_ALLOCATIONS_H

#include <stdint.h>

/// Calls of malloc, calloc, realloc, aligned_alloc and posix_memalign since the program began, in all threads.
uint64_t onefix_allocation_count(void);

/// Processor time of this thread, in nanoseconds: other programs on the machine do not count.
int64_t onefix_processor_nanoseconds(void);

#endif
