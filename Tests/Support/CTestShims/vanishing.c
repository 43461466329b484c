#include "vanishing.h"

#include <errno.h>
#include <linux/filter.h>
#include <sys/socket.h>

/* A filter of one instruction that accepts no byte of a packet. (socket(7), SO_ATTACH_FILTER) */
int connection_vanish(int descriptor) {
  struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
  struct sock_fprog program = {.len = 1, .filter = &nothing};
  return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0 ? 0 : errno;
}
