#define _GNU_SOURCE
#include "spawn_closing.h"

int spawn_closing_from(posix_spawn_file_actions_t *actions, int from) {
  return posix_spawn_file_actions_addclosefrom_np(actions, from);
}
