#define _GNU_SOURCE
#include "onefix_peer.h"

#include <poll.h>
#include <sys/socket.h>

_Static_assert(sizeof(struct onefix_peer_credentials) == sizeof(struct ucred), "the kernel's struct ucred");
_Static_assert(ONEFIX_SO_PEERCRED == SO_PEERCRED, "the same on every architecture that Debian boards have");

int onefix_pidfd_is_alive(int pidfd) {
  struct pollfd descriptor = {.fd = pidfd, .events = POLLIN};
  return poll(&descriptor, 1, 0) == 0;
}
