#ifndef ONEFIX_CPEERSHIM_H
#define ONEFIX_CPEERSHIM_H

#include <stdint.h>

/// What SO_PEERCRED tells of the other end of a Unix socket: the kernel's `struct ucred`.
struct onefix_peer_credentials {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};

enum {
  ONEFIX_SO_PEERCRED = 17,
  ONEFIX_SO_PEERPIDFD = 77, /* Linux 6.5 */
};

/// A descriptor that stands for a process and never for another that gets its number later; -1 where there is none.
int onefix_pidfd_open(int32_t pid);

/// Whether the process that a pidfd stands for still exists.
int onefix_pidfd_is_alive(int pidfd);

#endif
