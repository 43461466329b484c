#include "common.h"

/* The implementation for libgpiod 1.x. Only the header of 1.x defines this macro. */
#ifdef GPIOD_LINE_BULK_MAX_LINES

struct onefix_gpio_line {
  /* The chip of the line. It stays open as long as the line is in use. */
  struct gpiod_chip *chip;
  struct gpiod_line *line;
};

int onefix_gpio_describe_chip(const char *path, struct onefix_gpio_chip *described) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return failure();
  copy_name(described->name, gpiod_chip_name(chip));
  copy_name(described->label, gpiod_chip_label(chip));
  described->lines = gpiod_chip_num_lines(chip);
  gpiod_chip_close(chip);
  return 0;
}

int onefix_gpio_describe_lines(const char *path, struct onefix_gpio_line_info *lines, unsigned int capacity) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return failure();
  unsigned int count = gpiod_chip_num_lines(chip);
  if (count > capacity) count = capacity;
  for (unsigned int offset = 0; offset < count; offset++) {
    struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
    if (!line) {
      int failed = failure();
      gpiod_chip_close(chip);
      return failed;
    }
    copy_name(lines[offset].name, gpiod_line_name(line));
    copy_name(lines[offset].consumer, gpiod_line_consumer(line));
    lines[offset].is_used = gpiod_line_is_used(line);
  }
  gpiod_chip_close(chip);
  return (int)count;
}

static int flags(const struct onefix_gpio_settings *settings) {
  int flags = settings->is_active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
  switch (settings->bias) {
  case ONEFIX_GPIO_BIAS_AS_IS: return flags;
  case ONEFIX_GPIO_BIAS_DISABLED: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  case ONEFIX_GPIO_BIAS_PULL_UP: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
  case ONEFIX_GPIO_BIAS_PULL_DOWN: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  }
  return flags;
}

static int request(const char *path, unsigned int offset, const struct onefix_gpio_settings *settings, int type,
                   int value, onefix_gpio_line **requested) {
  onefix_gpio_line *made = calloc(1, sizeof *made);
  if (!made) return -ENOMEM;
  struct gpiod_line_request_config config = {
      .consumer = settings->consumer, .request_type = type, .flags = flags(settings)};
  made->chip = gpiod_chip_open(path);
  made->line = made->chip ? gpiod_chip_get_line(made->chip, offset) : NULL;
  if (!made->line || gpiod_line_request(made->line, &config, value) != 0) {
    int failed = failure();
    if (made->chip) gpiod_chip_close(made->chip);
    free(made);
    return failed;
  }
  *requested = made;
  return 0;
}

int onefix_gpio_request_input(const char *path, unsigned int offset, const struct onefix_gpio_settings *settings,
                              int with_edges, onefix_gpio_line **line) {
  int type = with_edges ? GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES : GPIOD_LINE_REQUEST_DIRECTION_INPUT;
  return request(path, offset, settings, type, 0, line);
}

int onefix_gpio_request_output(const char *path, unsigned int offset, const struct onefix_gpio_settings *settings,
                               int is_active, onefix_gpio_line **line) {
  return request(path, offset, settings, GPIOD_LINE_REQUEST_DIRECTION_OUTPUT, is_active, line);
}

void onefix_gpio_release(onefix_gpio_line *line) {
  gpiod_line_release(line->line);
  gpiod_chip_close(line->chip);
  free(line);
}

int onefix_gpio_descriptor(const onefix_gpio_line *line) {
  int descriptor = gpiod_line_event_get_fd(line->line);
  return descriptor < 0 ? failure() : descriptor;
}

/*
 * libgpiod 1.x uses the first GPIO interface of Linux, which keeps 16 events and discards later ones.
 * (drivers/gpio/gpiolib-cdev.c, struct lineevent_state)
 */
unsigned int onefix_gpio_queue_length(void) { return 16; }

int onefix_gpio_read_edges(onefix_gpio_line *line, struct onefix_gpio_edge *edges, unsigned int capacity) {
  struct gpiod_line_event events[16];
  if (capacity > 16) capacity = 16;
  int count = gpiod_line_event_read_multiple(line->line, events, capacity);
  if (count < 0) return failure();
  for (int i = 0; i < count; i++) {
    edges[i].timestamp_ns = (uint64_t)events[i].ts.tv_sec * 1000000000u + (uint64_t)events[i].ts.tv_nsec;
    edges[i].sequence = 0;
    edges[i].is_active = events[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
  }
  return count;
}

int onefix_gpio_get(onefix_gpio_line *line) {
  int value = gpiod_line_get_value(line->line);
  return value < 0 ? failure() : value;
}

int onefix_gpio_set(onefix_gpio_line *line, int is_active) {
  return gpiod_line_set_value(line->line, is_active) == 0 ? 0 : failure();
}

#endif
