#ifndef SPAWN_CLOSING_H
#define SPAWN_CLOSING_H

#include <spawn.h>

/* Lets a child that is to be spawned close every descriptor from that one on. Returns 0 or an errno. */
int spawn_closing_from(posix_spawn_file_actions_t *actions, int from);

#endif
