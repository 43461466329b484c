#ifndef ONEFIX_PEER_H
#define ONEFIX_PEER_H

#include <stdint.h>

/// The credentials of the other end of a Unix socket, from SO_PEERCRED: the kernel's `struct ucred`.
struct onefix_peer_credentials {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};

enum {
  ONEFIX_SO_PEERCRED = 17,
  /* The option for a descriptor of the process that connected. (Linux 6.5) */
  ONEFIX_SO_PEERPIDFD = 77,
};

/// Returns 1 if the process of a pidfd still exists, otherwise 0.
int onefix_pidfd_is_alive(int pidfd);

/// One end of a TCP connection.
struct onefix_tcp_end {
  /// The address, most significant byte first. An IPv4 address uses the first four bytes.
  uint8_t address[16];
  uint16_t port;
  uint8_t is_ipv6;
};

/// Finds the user that owns the other end of a TCP connection on this machine, with NETLINK_SOCK_DIAG. Returns 0, or an
/// errno: ENOENT if the socket does not exist, ENOTCONN if its process has closed it.
int onefix_tcp_peer_uid(struct onefix_tcp_end peer, struct onefix_tcp_end local, uint32_t *uid);

/// Returns unused memory of the allocator to the system, from all its arenas. (malloc_trim(3))
void onefix_return_memory(void);

#endif
