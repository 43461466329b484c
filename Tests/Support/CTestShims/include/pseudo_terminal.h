#ifndef PSEUDO_TERMINAL_H
#define PSEUDO_TERMINAL_H

#include <stddef.h>

/* Opens the master of a pseudo-terminal and writes the path of its slave. Returns the descriptor or a negated errno. */
int pseudo_terminal_open(char *path, size_t capacity);

/* Closes a master, and waits for the hang-up of its slave: a child process that another thread is starting has a copy of the
   master until it executes its program. */
void pseudo_terminal_close(int master);

/* Whether a terminal is raw, 8N1, without flow control, at a speed in bits per second. */
int pseudo_terminal_is_raw(int descriptor, unsigned int baud);

#endif
