#include "fuzzer.h"

#include <stddef.h>
#include <stdint.h>

extern int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *data, size_t size));
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int FuzzDecoder_main(int count, char **arguments) {
  return LLVMFuzzerRunDriver(&count, &arguments, LLVMFuzzerTestOneInput);
}
