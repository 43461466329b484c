#define _GNU_SOURCE
#include "pseudo_terminal.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

/* The structure of the kernel, which has the speed as a number. */
int pseudo_terminal_is_raw(int descriptor, unsigned int baud) {
  struct termios2 made;
  if (ioctl(descriptor, TCGETS2, &made) != 0) return 0;
  return (made.c_lflag & (ICANON | ECHO | ISIG | IEXTEN)) == 0 && (made.c_oflag & OPOST) == 0 &&
         (made.c_iflag & (IXON | IXOFF | ICRNL | INLCR | IGNCR | ISTRIP | BRKINT)) == 0 &&
         (made.c_cflag & (CSIZE | PARENB | CSTOPB | CRTSCTS)) == CS8 && made.c_cc[VMIN] == 1 &&
         made.c_cc[VTIME] == 0 && made.c_ispeed == baud && made.c_ospeed == baud;
}
