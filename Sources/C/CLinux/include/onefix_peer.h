#ifndef ONEFIX_PEER_H
#define ONEFIX_PEER_H

#include <stdint.h>

/// What SO_PEERCRED tells of the other end of a Unix socket: the kernel's `struct ucred`.
struct onefix_peer_credentials {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};

enum {
  ONEFIX_SO_PEERCRED = 17,
  /* A descriptor of the process that connected. (Linux 6.5) */
  ONEFIX_SO_PEERPIDFD = 77,
};

/// Whether the process that a pidfd stands for still exists.
int onefix_pidfd_is_alive(int pidfd);

/// One end of a TCP connection.
struct onefix_tcp_end {
  /// The most significant byte first; of IPv4 the first four.
  uint8_t address[16];
  uint16_t port;
  uint8_t is_ipv6;
};

/// Whose the other end of a connection on this machine is, as the kernel has it (NETLINK_SOCK_DIAG).
/// Returns 0, or what went wrong: ENOENT where there is no such socket, ENOTCONN where nobody holds it any more.
int onefix_tcp_peer_uid(struct onefix_tcp_end there, struct onefix_tcp_end here, uint32_t *uid);

/// Returns memory that the allocator holds and nobody uses to the system, of all its arenas. (malloc_trim(3))
void onefix_return_memory(void);

#endif
