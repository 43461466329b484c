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
extern int fuzz_rtcm(const uint8_t *data, size_t size);
extern int fuzz_mixed(const uint8_t *data, size_t size);
extern int fuzz_lines(const uint8_t *data, size_t size);
extern int fuzz_server_lines(const uint8_t *data, size_t size);
extern int fuzz_gpsd(const uint8_t *data, size_t size);
extern int fuzz_gpsd_reports(const uint8_t *data, size_t size);
extern int fuzz_toml(const uint8_t *data, size_t size);
extern int fuzz_replay(const uint8_t *data, size_t size);
extern int fuzz_console(const uint8_t *data, size_t size);
extern int fuzz_requests(const uint8_t *data, size_t size);

static const struct {
  const char *name;
  test test;
} targets[] = {
    {"nmea", fuzz_nmea},
    {"ubx", fuzz_ubx},
    {"rtcm", fuzz_rtcm},
    {"mixed", fuzz_mixed},
    {"lines", fuzz_lines},
    {"server-lines", fuzz_server_lines},
    {"gpsd", fuzz_gpsd},
    {"gpsd-reports", fuzz_gpsd_reports},
    {"toml", fuzz_toml},
    {"replay", fuzz_replay},
    {"console", fuzz_console},
    {"requests", fuzz_requests},
};
enum { target_count = sizeof targets / sizeof targets[0] };

size_t fuzzer_heap(void) { return __sanitizer_get_current_allocated_bytes(); }

static test named(const char *name) {
  for (int i = 0; name != NULL && i < target_count; i++)
    if (strcmp(name, targets[i].name) == 0) return targets[i].test;
  return NULL;
}

int Fuzz_main(int count, char **arguments) {
  test chosen = count > 1 ? named(arguments[1]) : NULL;
  if (chosen != NULL) {
    // libFuzzer merges in a new process of this program, which gets only libFuzzer's options.
    setenv("FUZZ_TARGET", arguments[1], 1);
    count -= 1;
    arguments[1] = arguments[0];
    arguments += 1;
  } else {
    chosen = named(getenv("FUZZ_TARGET"));
  }
  if (chosen == NULL) {
    fprintf(stderr, "usage: Fuzz TARGET [libFuzzer's options] [CORPUS…]\ntargets:");
    for (int i = 0; i < target_count; i++) fprintf(stderr, " %s", targets[i].name);
    fprintf(stderr, "\n");
    return 64;
  }
  return LLVMFuzzerRunDriver(&count, &arguments, chosen);
}
