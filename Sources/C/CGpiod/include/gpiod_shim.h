/*
 * GPIO chips and lines through libgpiod. The functions are the same for both generations of the library: 1.6 (Debian
 * 12, Raspberry Pi OS bookworm) and 2.x (Debian 13), which themselves have no function in common. Values are logical: 1
 * is active and 0 is inactive, independently of the voltage.
 */
#ifndef ONEFIX_GPIOD_SHIM_H
#define ONEFIX_GPIOD_SHIM_H

#include <stddef.h>
#include <stdint.h>

/* The maximum length of a name. The kernel's own limit is 32 bytes. (linux/gpio.h, GPIO_MAX_NAME_SIZE) */
#define ONEFIX_GPIO_NAME 64

/* The description of a chip. */
struct onefix_gpio_chip {
  /* The name, for example "gpiochip0". It may differ between kernels. */
  char name[ONEFIX_GPIO_NAME];
  /* The label, for example "pinctrl-bcm2711". It is the same for all kernels. */
  char label[ONEFIX_GPIO_NAME];
  unsigned int lines;
};

/* The description of a line. A missing name is empty. */
struct onefix_gpio_line_info {
  char name[ONEFIX_GPIO_NAME];
  /* The program or driver that uses the line. */
  char consumer[ONEFIX_GPIO_NAME];
  int is_used;
};

enum onefix_gpio_bias {
  ONEFIX_GPIO_BIAS_AS_IS,
  ONEFIX_GPIO_BIAS_DISABLED,
  ONEFIX_GPIO_BIAS_PULL_UP,
  ONEFIX_GPIO_BIAS_PULL_DOWN,
};

/* The settings of a requested line. */
struct onefix_gpio_settings {
  const char *consumer;
  int is_active_low;
  enum onefix_gpio_bias bias;
  /* The kernel's debounce period of an input in microseconds; 0 for none. libgpiod 1.6 ignores the period. */
  unsigned int debounce_us;
};

struct onefix_gpio_edge {
  /* The time of the edge by CLOCK_MONOTONIC, in nanoseconds. */
  uint64_t timestamp_ns;
  /* The number of the edge on its line, from 1; 0 with libgpiod 1.6, which does not number edges. */
  uint32_t sequence;
  int is_active;
};

/* A requested line. */
typedef struct onefix_gpio_line onefix_gpio_line;

/*
 * The functions below return 0 or more on success and a negated errno on failure.
 */

/* Describes a chip. Returns -ENODEV or -ENOTTY if the path is not a GPIO chip. */
int onefix_gpio_describe_chip(const char *path, struct onefix_gpio_chip *chip);
/* Describes the first lines of a chip, at most `capacity`. Returns the number of described lines. */
int onefix_gpio_describe_lines(const char *path, struct onefix_gpio_line_info *lines, unsigned int capacity);

/* Requests a line as an input, with or without reports of its edges. */
int onefix_gpio_request_input(const char *path, unsigned int offset, const struct onefix_gpio_settings *settings,
                              int with_edges, onefix_gpio_line **line);
/* Requests a line as an output with an initial value. */
int onefix_gpio_request_output(const char *path, unsigned int offset, const struct onefix_gpio_settings *settings,
                               int is_active, onefix_gpio_line **line);
/* Releases a line. Afterwards the driver determines the state of the pin. */
void onefix_gpio_release(onefix_gpio_line *line);

/* Returns a descriptor that is readable when edges are pending. */
int onefix_gpio_descriptor(const onefix_gpio_line *line);
/* Returns the number of unread edges that the kernel keeps for a line. Further edges are lost. */
unsigned int onefix_gpio_queue_length(void);
/* Reads pending edges, the oldest first. Waits if no edge is pending. Returns the number of edges. */
int onefix_gpio_read_edges(onefix_gpio_line *line, struct onefix_gpio_edge *edges, unsigned int capacity);
/* Returns 1 if the line is active, 0 if it is inactive. */
int onefix_gpio_get(onefix_gpio_line *line);
int onefix_gpio_set(onefix_gpio_line *line, int is_active);

#endif
