#ifndef SPAWN_CLOSING_H
#define SPAWN_CLOSING_H

#include <spawn.h>

/* Makes a child process close every descriptor from `from` on. Returns 0 or an errno. */
int spawn_closing_from(posix_spawn_file_actions_t *actions, int from);

#endif
