#define _GNU_SOURCE
#include "CPeerShim.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(struct onefix_peer_credentials) == sizeof(struct ucred), "the kernel's struct ucred");
_Static_assert(ONEFIX_SO_PEERCRED == SO_PEERCRED, "the same on every architecture that Debian boards have");

int onefix_pidfd_open(int32_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int onefix_pidfd_is_alive(int pidfd) {
  struct pollfd descriptor = {.fd = pidfd, .events = POLLIN};
  return poll(&descriptor, 1, 0) == 0;
}
