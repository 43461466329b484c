#ifndef PSEUDO_TERMINAL_H
#define PSEUDO_TERMINAL_H

#include <stddef.h>

/* Opens the master of a pseudo-terminal and writes the path of its slave. Returns the descriptor or a negated errno. */
int pseudo_terminal_open(char *path, size_t capacity);

/* Whether a terminal is raw, 8N1, without flow control, at a speed in bits per second. */
int pseudo_terminal_is_raw(int descriptor, unsigned int baud);

#endif
