#ifndef ONEFIX_FUZZER_H
#define ONEFIX_FUZZER_H

#include <stddef.h>

/// The package manager names every program's entry after its target; this one hands over to libFuzzer. The first argument
/// is what to fuzz.
int Fuzz_main(int count, char **arguments);

/// Bytes on the heap that the address sanitizer knows of.
size_t fuzzer_heap(void);

#endif
