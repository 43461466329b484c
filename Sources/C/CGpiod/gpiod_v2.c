#include "common.h"

/* The implementation for libgpiod 2.x. */
#ifndef GPIOD_LINE_BULK_MAX_LINES

enum { queue_length = 64 };

struct onefix_gpio_line {
  struct gpiod_line_request *request;
  unsigned int offset;
  struct gpiod_edge_event_buffer *events;
};

int onefix_gpio_describe_chip(const char *path, struct onefix_gpio_chip *described) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return failure();
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  int result = 0;
  if (info) {
    copy_name(described->name, gpiod_chip_info_get_name(info));
    copy_name(described->label, gpiod_chip_info_get_label(info));
    described->lines = (unsigned int)gpiod_chip_info_get_num_lines(info);
    gpiod_chip_info_free(info);
  } else {
    result = failure();
  }
  gpiod_chip_close(chip);
  return result;
}

static int describe_line(struct gpiod_chip *chip, unsigned int offset, struct onefix_gpio_line_info *line) {
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
  if (!info) return failure();
  copy_name(line->name, gpiod_line_info_get_name(info));
  copy_name(line->consumer, gpiod_line_info_get_consumer(info));
  line->is_used = gpiod_line_info_is_used(info);
  gpiod_line_info_free(info);
  return 0;
}

int onefix_gpio_describe_lines(const char *path, struct onefix_gpio_line_info *lines, unsigned int capacity) {
  struct onefix_gpio_chip described;
  int result = onefix_gpio_describe_chip(path, &described);
  if (result < 0) return result;
  unsigned int count = described.lines < capacity ? described.lines : capacity;
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return failure();
  for (unsigned int offset = 0; offset < count && result == 0; offset++) {
    result = describe_line(chip, offset, &lines[offset]);
  }
  gpiod_chip_close(chip);
  return result < 0 ? result : (int)count;
}

static enum gpiod_line_bias bias(enum onefix_gpio_bias bias) {
  switch (bias) {
  case ONEFIX_GPIO_BIAS_AS_IS: return GPIOD_LINE_BIAS_AS_IS;
  case ONEFIX_GPIO_BIAS_DISABLED: return GPIOD_LINE_BIAS_DISABLED;
  case ONEFIX_GPIO_BIAS_PULL_UP: return GPIOD_LINE_BIAS_PULL_UP;
  case ONEFIX_GPIO_BIAS_PULL_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
  }
  return GPIOD_LINE_BIAS_AS_IS;
}

/* Requests one line of an open chip. */
static struct gpiod_line_request *request_line(struct gpiod_chip *chip, unsigned int offset, const char *consumer,
                                               struct gpiod_line_settings *settings, int with_edges) {
  struct gpiod_line_request *request = NULL;
  struct gpiod_line_config *lines = gpiod_line_config_new();
  struct gpiod_request_config *how = gpiod_request_config_new();
  if (lines && how && gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0) {
    gpiod_request_config_set_consumer(how, consumer);
    if (with_edges) gpiod_request_config_set_event_buffer_size(how, queue_length);
    request = gpiod_chip_request_lines(chip, how, lines);
  }
  int failed = errno;
  gpiod_request_config_free(how);
  gpiod_line_config_free(lines);
  errno = failed;
  return request;
}

static int request(const char *path, unsigned int offset, const struct onefix_gpio_settings *asked,
                   enum gpiod_line_direction direction, int with_edges, int is_active, onefix_gpio_line **requested) {
  onefix_gpio_line *made = calloc(1, sizeof *made);
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_chip *chip = NULL;
  if (made && settings) {
    gpiod_line_settings_set_direction(settings, direction);
    gpiod_line_settings_set_active_low(settings, asked->is_active_low);
    gpiod_line_settings_set_bias(settings, bias(asked->bias));
    gpiod_line_settings_set_output_value(settings, is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
    if (with_edges) {
      gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
      gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
      gpiod_line_settings_set_debounce_period_us(settings, asked->debounce_us);
      made->events = gpiod_edge_event_buffer_new(queue_length);
    }
    made->offset = offset;
    chip = !with_edges || made->events ? gpiod_chip_open(path) : NULL;
    if (chip) made->request = request_line(chip, offset, asked->consumer, settings, with_edges);
  }
  int result = made && made->request ? 0 : failure();
  if (chip) gpiod_chip_close(chip);
  gpiod_line_settings_free(settings);
  if (result == 0) {
    *requested = made;
  } else if (made) {
    gpiod_edge_event_buffer_free(made->events);
    free(made);
  }
  return result;
}

int onefix_gpio_request_input(const char *path, unsigned int offset, const struct onefix_gpio_settings *settings,
                              int with_edges, onefix_gpio_line **line) {
  return request(path, offset, settings, GPIOD_LINE_DIRECTION_INPUT, with_edges, 0, line);
}

int onefix_gpio_request_output(const char *path, unsigned int offset, const struct onefix_gpio_settings *settings,
                               int is_active, onefix_gpio_line **line) {
  return request(path, offset, settings, GPIOD_LINE_DIRECTION_OUTPUT, 0, is_active, line);
}

void onefix_gpio_release(onefix_gpio_line *line) {
  gpiod_line_request_release(line->request);
  gpiod_edge_event_buffer_free(line->events);
  free(line);
}

int onefix_gpio_descriptor(const onefix_gpio_line *line) { return gpiod_line_request_get_fd(line->request); }

unsigned int onefix_gpio_queue_length(void) { return queue_length; }

int onefix_gpio_read_edges(onefix_gpio_line *line, struct onefix_gpio_edge *edges, unsigned int capacity) {
  if (capacity > queue_length) capacity = queue_length;
  int count = gpiod_line_request_read_edge_events(line->request, line->events, capacity);
  if (count < 0) return failure();
  for (int i = 0; i < count; i++) {
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(line->events, (unsigned long)i);
    edges[i].timestamp_ns = gpiod_edge_event_get_timestamp_ns(event);
    edges[i].sequence = (uint32_t)gpiod_edge_event_get_line_seqno(event);
    edges[i].is_active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
  }
  return count;
}

int onefix_gpio_get(onefix_gpio_line *line) {
  enum gpiod_line_value value = gpiod_line_request_get_value(line->request, line->offset);
  return value == GPIOD_LINE_VALUE_ERROR ? failure() : value == GPIOD_LINE_VALUE_ACTIVE;
}

int onefix_gpio_set(onefix_gpio_line *line, int is_active) {
  enum gpiod_line_value value = is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  return gpiod_line_request_set_value(line->request, line->offset, value) == 0 ? 0 : failure();
}

#endif
