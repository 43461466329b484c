/* Lets a fuzzer play the gateway of onefix.c.
 *
 * The first character of an input chooses a call, the second a connection: s has checksums, k a key. The rest is what the
 * gateway sends. A byte 0 ends the connection, and a byte 255 is a silence.
 */
#include "onefix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t *input;
static size_t left;
static uint64_t clock_time;

static int open_input(void *context) {
  (void)context;
  return left > 0 ? ONEFIX_OK : ONEFIX_NO_GATEWAY;
}
static void close_input(void *context) { (void)context; }
static uint64_t input_time(void *context) {
  (void)context;
  return clock_time;
}
static void pause_input(void *context, uint32_t milliseconds) {
  (void)context;
  clock_time += milliseconds;
}
static int write_nothing(void *context, const char *bytes, size_t count) {
  uint8_t sum = 0;
  (void)context;
  for (size_t i = 0; i < count; i++) { sum = (uint8_t)(sum + (uint8_t)bytes[i]); }
  return sum == 1 ? -1 : 0;
}
static int random_zeros(void *context, uint8_t *bytes, size_t count) {
  (void)context;
  (void)memset(bytes, 0, count);
  return 0;
}

static int read_input(void *context, char *bytes, size_t capacity, uint32_t milliseconds) {
  size_t count;
  (void)context;
  clock_time += 1;
  if (left == 0) { return -1; }
  if (*input == 0 || *input == 255) {
    const bool is_end = *input == 0;
    input++;
    left--;
    if (!is_end) { clock_time += milliseconds; }
    return is_end ? -1 : 0;
  }
  for (count = 0; count < left && count < capacity && input[count] != 0 && input[count] != 255; count++) {}
  (void)memcpy(bytes, input, count);
  input += count;
  left -= count;
  return (int)count;
}

static void read_region(void *context, const char *json) {
  char value[20];
  (void)onefix_member(json, "id", value, sizeof value);
  *(size_t *)context += strlen(value);
}

static void check(int result) {
  if (result < ONEFIX_TIMEOUT || result > 999) { abort(); }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static onefix_client client;
  static const uint8_t key[32] = {1};
  const onefix_transport transport = {NULL,       open_input,  close_input,  read_input, write_nothing,
                                      input_time, pause_input, random_zeros, NULL};
  onefix_options options = {"app", NULL, NULL, false};
  onefix_fix fix;
  onefix_authorization answer;
  onefix_region_event event;
  size_t length = 0;
  if (size < 2) { return 0; }
  options.serial = data[1] == 's';
  options.key = data[1] == 'k' ? key : NULL;
  input = data + 2;
  left = size - 2;
  clock_time = 0;
  if (onefix_connect(&client, &transport, &options) != ONEFIX_OK) {
    onefix_close(&client);
    return 0;
  }
  while (left > 0) {
    const size_t before = left;
    switch (data[0]) {
      case 'o': {
        const int result = onefix_request_once(&client, NULL, &fix);
        check(result);
        if (result == ONEFIX_OK && (strlen(fix.json) < 2 || memchr(fix.place, '\0', sizeof fix.place) == NULL)) { abort(); }
        break;
      }
      case 'a': check(onefix_authorize(&client, "always", "x", &answer)); break;
      case 'u':
        if (onefix_start_updates(&client, 1000, -1, true) == ONEFIX_OK) {
          check(onefix_next_update(&client, 1000, &fix));
          check(onefix_stop_updates(&client));
        }
        break;
      case 'r':
        check(onefix_list_regions(&client, read_region, &length));
        check(onefix_add_region(&client, "zoo", 47.5, -8.5, 150, "enter", "x"));
        break;
      default:
        if (onefix_watch_regions(&client) == ONEFIX_OK) { check(onefix_next_region_event(&client, 1000, &event)); }
    }
    if (left == before) { break; }
  }
  onefix_close(&client);
  return 0;
}
