#include "fuzzer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*test)(const uint8_t *data, size_t size);

extern int LLVMFuzzerRunDriver(int *count, char ***arguments, test test);
extern size_t __sanitizer_get_current_allocated_bytes(void);
extern int fuzz_nmea(const uint8_t *data, size_t size);
extern int fuzz_ubx(const uint8_t *data, size_t size);
extern int fuzz_mixed(const uint8_t *data, size_t size);
extern int fuzz_lines(const uint8_t *data, size_t size);
extern int fuzz_server_lines(const uint8_t *data, size_t size);
extern int fuzz_gpsd(const uint8_t *data, size_t size);

size_t fuzzer_heap(void) { return __sanitizer_get_current_allocated_bytes(); }

static test named(const char *name) {
  if (name == NULL) return NULL;
  if (strcmp(name, "nmea") == 0) return fuzz_nmea;
  if (strcmp(name, "ubx") == 0) return fuzz_ubx;
  if (strcmp(name, "mixed") == 0) return fuzz_mixed;
  if (strcmp(name, "lines") == 0) return fuzz_lines;
  if (strcmp(name, "server-lines") == 0) return fuzz_server_lines;
  if (strcmp(name, "gpsd") == 0) return fuzz_gpsd;
  return NULL;
}

int Fuzz_main(int count, char **arguments) {
  test chosen = count > 1 ? named(arguments[1]) : NULL;
  if (chosen != NULL) {
    // To merge, libFuzzer starts the program again with its own options alone.
    setenv("FUZZ_TARGET", arguments[1], 1);
    count -= 1;
    arguments[1] = arguments[0];
    arguments += 1;
  } else {
    chosen = named(getenv("FUZZ_TARGET"));
  }
  if (chosen == NULL) {
    fprintf(stderr, "usage: Fuzz nmea|ubx|mixed|lines|server-lines|gpsd [libFuzzer's options] [CORPUS…]\n");
    return 64;
  }
  return LLVMFuzzerRunDriver(&count, &arguments, chosen);
}
