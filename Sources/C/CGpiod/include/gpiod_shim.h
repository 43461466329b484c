/*
 * GPIO chips and lines through libgpiod, the same for its two generations: 1.6 (Debian 12, Raspberry Pi OS bookworm)
 * and 2.x (Debian 13), which have no function in common. Values are what a line means: 1 active, 0 inactive, whatever
 * its voltage.
 */
#ifndef ONEFIX_GPIOD_SHIM_H
#define ONEFIX_GPIOD_SHIM_H

#include <stddef.h>
#include <stdint.h>

/* The kernel's own limit is 32 bytes. (linux/gpio.h, GPIO_MAX_NAME_SIZE) */
#define ONEFIX_GPIO_NAME 64

/* What a chip says of itself. */
struct onefix_gpio_chip {
  /* As in "gpiochip0"; moves between kernels. */
  char name[ONEFIX_GPIO_NAME];
  /* As in "pinctrl-bcm2711"; stays. */
  char label[ONEFIX_GPIO_NAME];
  unsigned int lines;
};

/* What a line says of itself. Names are empty where there are none. */
struct onefix_gpio_line_info {
  char name[ONEFIX_GPIO_NAME];
  /* Who holds it. */
  char consumer[ONEFIX_GPIO_NAME];
  int is_used;
};

enum onefix_gpio_bias {
  ONEFIX_GPIO_BIAS_AS_IS,
  ONEFIX_GPIO_BIAS_DISABLED,
  ONEFIX_GPIO_BIAS_PULL_UP,
  ONEFIX_GPIO_BIAS_PULL_DOWN,
};

/* How a line is requested. */
struct onefix_gpio_settings {
  const char *consumer;
  int is_active_low;
  enum onefix_gpio_bias bias;
  /* Kernel's debounce, microseconds, of an input; 0 for none. Ignored by 1.6, which has none. */
  unsigned int debounce_us;
};

struct onefix_gpio_edge {
  /* CLOCK_MONOTONIC, nanoseconds. */
  uint64_t timestamp_ns;
  /* Counts the edges of the line from 1; 0 where the library does not number them (1.6). */
  uint32_t sequence;
  int is_active;
};

/* A line that is held. */
typedef struct onefix_gpio_line onefix_gpio_line;

/*
 * The functions below return 0 or more on success and a negated errno on failure.
 */

/* -ENODEV or -ENOTTY where the path is no GPIO chip. */
int onefix_gpio_describe_chip(const char *path, struct onefix_gpio_chip *chip);
/* Describes as many lines, from the first, as there are and fit. Returns how many. */
int onefix_gpio_describe_lines(const char *path, struct onefix_gpio_line_info *lines, unsigned int capacity);

/* Holds a line as an input, whose edges are reported if asked for. */
int onefix_gpio_request_input(const char *path, unsigned int offset, const struct onefix_gpio_settings *settings,
                              int with_edges, onefix_gpio_line **line);
/* Holds a line as an output, with a value from the first moment. */
int onefix_gpio_request_output(const char *path, unsigned int offset, const struct onefix_gpio_settings *settings,
                               int is_active, onefix_gpio_line **line);
/* Gives a line back. What its pin does then is the driver's affair. */
void onefix_gpio_release(onefix_gpio_line *line);

/* Readable when edges are pending. */
int onefix_gpio_descriptor(const onefix_gpio_line *line);
/* How many edges the kernel keeps; what comes beyond is lost. */
unsigned int onefix_gpio_queue_length(void);
/* Takes pending edges, oldest first; waits where there is none. Returns how many. */
int onefix_gpio_read_edges(onefix_gpio_line *line, struct onefix_gpio_edge *edges, unsigned int capacity);
/* 1 active, 0 inactive. */
int onefix_gpio_get(onefix_gpio_line *line);
int onefix_gpio_set(onefix_gpio_line *line, int is_active);

#endif
