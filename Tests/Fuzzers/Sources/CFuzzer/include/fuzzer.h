#ifndef ONEFIX_FUZZER_H
#define ONEFIX_FUZZER_H

#include <stddef.h>

/// Runs libFuzzer on the target that the first argument names. (The package manager expects the name Fuzz_main for the entry
/// point of the program Fuzz.)
int Fuzz_main(int count, char **arguments);

/// Returns the bytes that are allocated on the heap, as the address sanitizer counts them.
size_t fuzzer_heap(void);

#endif
