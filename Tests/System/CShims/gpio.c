#include "check.h"
#include "gpiod_shim.h"

#include <errno.h>
#include <gpiod.h>
#include <string.h>

static const struct onefix_gpio_settings settings = {.consumer = "check", .bias = ONEFIX_GPIO_BIAS_PULL_UP};

/* Paths that are not chips, with the errors of this library and kernel. */
static void check_refusals(void) {
  struct onefix_gpio_chip chip;
  struct onefix_gpio_line_info lines[4];
  onefix_gpio_line *line = NULL;
  const char *paths[] = {"/nowhere", "/dev/null", "/"};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    expect(onefix_gpio_describe_chip(paths[i], &chip) < 0);
    expect(onefix_gpio_describe_lines(paths[i], lines, 4) < 0);
    expect(onefix_gpio_request_input(paths[i], 0, &settings, 1, &line) < 0);
    expect(onefix_gpio_request_output(paths[i], 0, &settings, 1, &line) < 0);
    expect(line == NULL);
  }
  expect_equal(onefix_gpio_describe_chip("/nowhere", &chip), -ENOENT);
  expect(onefix_gpio_queue_length() >= 16);
}

#ifdef GPIOD_LINE_BULK_MAX_LINES

/* A simulated chip below the functions of libgpiod 1.6 that the shim calls. The first line works, the second has no
   names, and the third cannot be requested. Handles are addresses of these objects, and the library never uses them. */
static struct {
  struct { int requested, type, flags, value, failing; } lines[3];
  int opened;
  unsigned int edges, longest_read;
} board;
static char chip_handle, line_handles[3];

static size_t number(struct gpiod_line *line) { return (size_t)((char *)line - line_handles); }
static int is_ours(void *handle) { return handle == &chip_handle; }

struct gpiod_chip *__real_gpiod_chip_open(const char *path);
struct gpiod_chip *__wrap_gpiod_chip_open(const char *path) {
  if (strcmp(path, "board") != 0) return __real_gpiod_chip_open(path);
  board.opened += 1;
  return (struct gpiod_chip *)&chip_handle;
}
void __real_gpiod_chip_close(struct gpiod_chip *chip);
void __wrap_gpiod_chip_close(struct gpiod_chip *chip) {
  if (is_ours(chip)) board.opened -= 1;
  else __real_gpiod_chip_close(chip);
}
const char *__wrap_gpiod_chip_name(struct gpiod_chip *chip) { return is_ours(chip) ? "gpiochip0" : NULL; }
const char *__wrap_gpiod_chip_label(struct gpiod_chip *chip) {
  return is_ours(chip) ? "a label that is longer than any that the kernel has, by far: it has to be cut off" : NULL;
}
unsigned int __wrap_gpiod_chip_num_lines(struct gpiod_chip *chip) { return is_ours(chip) ? 3 : 0; }
struct gpiod_line *__wrap_gpiod_chip_get_line(struct gpiod_chip *chip, unsigned int offset) {
  expect(is_ours(chip));
  if (offset < 3 && !board.lines[offset].failing) return (struct gpiod_line *)&line_handles[offset];
  errno = EINVAL;
  return NULL;
}
const char *__wrap_gpiod_line_name(struct gpiod_line *line) { return number(line) == 0 ? "GPIO17" : NULL; }
const char *__wrap_gpiod_line_consumer(struct gpiod_line *line) { return number(line) == 0 ? "somebody" : NULL; }
bool __wrap_gpiod_line_is_used(struct gpiod_line *line) { return board.lines[number(line)].requested; }
int __wrap_gpiod_line_request(struct gpiod_line *line, const struct gpiod_line_request_config *config, int value) {
  size_t offset = number(line);
  if (board.lines[offset].requested || offset == 2) {
    /* A failure without an errno. */
    errno = offset == 2 ? 0 : EBUSY;
    return -1;
  }
  expect_equal(strcmp(config->consumer, "check"), 0);
  board.lines[offset].requested = 1;
  board.lines[offset].type = config->request_type;
  board.lines[offset].flags = config->flags;
  board.lines[offset].value = value;
  return 0;
}
void __wrap_gpiod_line_release(struct gpiod_line *line) { board.lines[number(line)].requested = 0; }
int __wrap_gpiod_line_event_get_fd(struct gpiod_line *line) {
  if (board.lines[number(line)].type == GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES) return 42;
  errno = EINVAL;
  return -1;
}
int __wrap_gpiod_line_event_read_multiple(struct gpiod_line *line, struct gpiod_line_event *events,
                                          unsigned int most) {
  expect_equal(number(line), 0);
  if (most > board.longest_read) board.longest_read = most;
  if (board.edges == 0) {
    errno = EAGAIN;
    return -1;
  }
  unsigned int count = board.edges < most ? board.edges : most;
  for (unsigned int i = 0; i < count; i++, board.edges--) {
    events[i].ts.tv_sec = 9000000000;
    events[i].ts.tv_nsec = 999999999;
    events[i].event_type = i % 2 == 0 ? GPIOD_LINE_EVENT_RISING_EDGE : GPIOD_LINE_EVENT_FALLING_EDGE;
  }
  return (int)count;
}
int __wrap_gpiod_line_get_value(struct gpiod_line *line) {
  errno = EPERM;
  return board.lines[number(line)].value;
}
int __wrap_gpiod_line_set_value(struct gpiod_line *line, int value) {
  if (board.lines[number(line)].type != GPIOD_LINE_REQUEST_DIRECTION_OUTPUT) {
    errno = EPERM;
    return -1;
  }
  board.lines[number(line)].value = value;
  return 0;
}

static void check_descriptions(void) {
  struct onefix_gpio_chip chip;
  expect_equal(onefix_gpio_describe_chip("board", &chip), 0);
  expect_equal(strcmp(chip.name, "gpiochip0"), 0);
  expect_equal(strlen(chip.label), ONEFIX_GPIO_NAME - 1);
  expect_equal(chip.lines, 3);
  for (unsigned int capacity = 0; capacity <= 5; capacity++) {
    struct onefix_gpio_line_info *lines = malloc(sizeof *lines * (capacity > 0 ? capacity : 1));
    expect(lines);
    unsigned int count = capacity < 3 ? capacity : 3;
    expect_equal(onefix_gpio_describe_lines("board", lines, capacity), count);
    if (count > 0) expect_equal(strcmp(lines[0].name, "GPIO17") | strcmp(lines[0].consumer, "somebody"), 0);
    if (count > 1) expect_equal(lines[1].name[0] | lines[1].consumer[0] | lines[1].is_used, 0);
    free(lines);
  }
  struct onefix_gpio_line_info lines[3];
  board.lines[1].failing = 1;
  expect_equal(onefix_gpio_describe_lines("board", lines, 3), -EINVAL);
  board.lines[1].failing = 0;
}

static void check_input(void) {
  onefix_gpio_line *line = NULL, *other = NULL;
  expect_equal(onefix_gpio_request_input("board", 0, &settings, 1, &line), 0);
  expect_equal(board.lines[0].flags, GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP);
  expect_equal(onefix_gpio_request_input("board", 0, &settings, 1, &other), -EBUSY);
  expect_equal(onefix_gpio_request_input("board", 2, &settings, 1, &other), -EIO);
  expect_equal(onefix_gpio_request_input("board", 3, &settings, 1, &other), -EINVAL);
  expect(other == NULL);
  expect_equal(onefix_gpio_descriptor(line), 42);
  struct onefix_gpio_edge edges[32];
  expect_equal(onefix_gpio_read_edges(line, edges, 32), -EAGAIN);
  board.edges = 20;
  expect_equal(onefix_gpio_read_edges(line, edges, 32), 16);
  expect_equal(board.longest_read, onefix_gpio_queue_length());
  expect_equal(onefix_gpio_read_edges(line, edges, 1), 1);
  expect_equal(onefix_gpio_read_edges(line, edges, 32), 3);
  expect(edges[0].timestamp_ns == UINT64_C(9000000000999999999));
  expect(edges[0].is_active && !edges[1].is_active && edges[0].sequence == 0);
  board.lines[0].value = -1;
  expect_equal(onefix_gpio_get(line), -EPERM);
  board.lines[0].value = 1;
  expect_equal(onefix_gpio_get(line), 1);
  expect_equal(onefix_gpio_set(line, 1), -EPERM);
  onefix_gpio_release(line);
  expect_equal(board.lines[0].requested, 0);
}

static void check_output(void) {
  const int flags[] = {
      0, GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE, GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP,
      GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN};
  for (int bias = ONEFIX_GPIO_BIAS_AS_IS; bias <= ONEFIX_GPIO_BIAS_PULL_DOWN; bias++) {
    struct onefix_gpio_settings asked = {.consumer = "check", .is_active_low = 1, .bias = (enum onefix_gpio_bias)bias};
    onefix_gpio_line *line = NULL;
    expect_equal(onefix_gpio_request_output("board", 1, &asked, 1, &line), 0);
    expect_equal(board.lines[1].flags, flags[bias] | GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW);
    expect_equal(onefix_gpio_get(line), 1);
    expect_equal(onefix_gpio_set(line, 0), 0);
    expect_equal(onefix_gpio_get(line), 0);
    expect_equal(onefix_gpio_descriptor(line), -EINVAL);
    onefix_gpio_release(line);
  }
}

void check_gpio(void) {
  check_refusals();
  check_descriptions();
  check_input();
  check_output();
  /* No chip is left open, also after errors. */
  expect_equal(board.opened, 0);
}

#else

/* libgpiod 2.x: the virtual board checks its lines. */
void check_gpio(void) { check_refusals(); }

#endif
