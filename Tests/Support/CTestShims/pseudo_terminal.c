#define _GNU_SOURCE
#include "pseudo_terminal.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

/*
 * Gives this process and its children pseudo-terminals of their own: no other program can open them, lock them or get
 * their numbers. This runs before the first thread starts, because a mount namespace belongs to one thread. It needs
 * root. The terminals of an ordinary user are closed to other users.
 */
__attribute__((constructor)) static void mount_own_terminals(void) {
  if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0)
    mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "ptmxmode=0666,mode=0620,gid=5");
}

int pseudo_terminal_open(char *path, size_t capacity) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (master < 0) return -errno;
  if (grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, path, capacity) != 0) {
    int failed = -errno;
    close(master);
    return failed;
  }
  return master;
}

void pseudo_terminal_close(int master) {
  struct pollfd peer = {.fd = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC)};
  close(master);
  if (peer.fd < 0) return;
  (void)poll(&peer, 1, 60000);
  close(peer.fd);
}

/* The structure of the kernel, which has the speed as a number. */
int pseudo_terminal_is_raw(int descriptor, unsigned int baud) {
  struct termios2 made;
  if (ioctl(descriptor, TCGETS2, &made) != 0) return 0;
  return (made.c_lflag & (ICANON | ECHO | ISIG | IEXTEN)) == 0 && (made.c_oflag & OPOST) == 0 &&
         (made.c_iflag & (IXON | IXOFF | ICRNL | INLCR | IGNCR | ISTRIP | BRKINT)) == 0 &&
         (made.c_cflag & (CSIZE | PARENB | CSTOPB | CRTSCTS)) == CS8 && made.c_cc[VMIN] == 1 &&
         made.c_cc[VTIME] == 0 && made.c_ispeed == baud && made.c_ospeed == baud;
}
