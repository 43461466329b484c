#include "onefix_serial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

static const struct {
  unsigned int baud;
  speed_t speed;
} speeds[] = {
    {4800, B4800},     {9600, B9600},     {19200, B19200},   {38400, B38400},   {57600, B57600},
    {115200, B115200}, {230400, B230400}, {460800, B460800}, {921600, B921600},
};

int onefix_serial_open(const char *path) {
  int descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  if (!isatty(descriptor)) {
    close(descriptor);
    return -ENOTTY;
  }
  return descriptor;
}

/*
 * A pseudo-terminal keeps TIOCEXCL as long as its master is open, even after all programs that opened it have ended. A
 * killed program would therefore lock out its successor. A real port clears TIOCEXCL at the last close. (Linux,
 * Documentation/admin-guide/devices.txt: majors 136-143 are Unix98 PTY slaves)
 */
static int is_pseudo_terminal(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return 0;
  return major(status.st_rdev) >= 136 && major(status.st_rdev) <= 143;
}

int onefix_serial_claim(int descriptor) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return -errno;
  if (is_pseudo_terminal(descriptor)) return 0;
  /* Root may open a port in spite of TIOCEXCL, so the flag is checked here. */
  int is_claimed = 0;
  if (ioctl(descriptor, TIOCGEXCL, &is_claimed) == 0 && is_claimed) return -EBUSY;
  return ioctl(descriptor, TIOCEXCL) == 0 ? 0 : -errno;
}

int onefix_serial_release(int descriptor) {
  int failed = 0;
  if (!is_pseudo_terminal(descriptor) && ioctl(descriptor, TIOCNXCL) != 0) failed = -errno;
  if (flock(descriptor, LOCK_UN) != 0) failed = -errno;
  return failed;
}

static int configure(int descriptor, unsigned int baud, int reports_breaks, int has_modem) {
  speed_t speed = B0;
  for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
    if (speeds[i].baud == baud) speed = speeds[i].speed;
  if (speed == B0) return -EINVAL;

  struct termios wanted;
  if (tcgetattr(descriptor, &wanted) != 0) return -errno;
  cfmakeraw(&wanted);
  wanted.c_iflag &= ~(tcflag_t)(IXON | IXOFF | IXANY | INPCK);
  wanted.c_cflag &= ~(tcflag_t)(CSIZE | PARENB | CSTOPB | CRTSCTS | HUPCL);
  wanted.c_cflag |= CS8 | CREAD | CLOCAL;
  if (reports_breaks) wanted.c_iflag |= PARMRK;
  if (has_modem) wanted.c_cflag = (wanted.c_cflag & ~(tcflag_t)CLOCAL) | HUPCL;
  wanted.c_cc[VMIN] = 1;
  wanted.c_cc[VTIME] = 0;
  if (cfsetispeed(&wanted, speed) != 0 || cfsetospeed(&wanted, speed) != 0) return -errno;
  if (tcsetattr(descriptor, TCSANOW, &wanted) != 0) return -errno;

  /* tcsetattr succeeds if at least one of the changes succeeded, so the result is checked. */
  struct termios made;
  if (tcgetattr(descriptor, &made) != 0) return -errno;
  tcflag_t framing = CSIZE | PARENB | CSTOPB | CRTSCTS;
  if (cfgetospeed(&made) != speed || (made.c_cflag & framing) != CS8 || (made.c_lflag & (ICANON | ECHO | ISIG)) != 0)
    return -EINVAL;
  return 0;
}

int onefix_serial_configure(int descriptor, unsigned int baud) { return configure(descriptor, baud, 0, 0); }

int onefix_serial_configure_marked(int descriptor, unsigned int baud, int has_modem) {
  return configure(descriptor, baud, 1, has_modem);
}

int onefix_serial_is_own_pseudo_terminal(int descriptor) {
  struct stat status;
  if (!is_pseudo_terminal(descriptor) || fstat(descriptor, &status) != 0) return 0;
  return status.st_uid == 0 || status.st_uid == geteuid();
}

int onefix_serial_flush_output(int descriptor) {
  return tcflush(descriptor, TCOFLUSH) == 0 ? 0 : -errno;
}

int onefix_serial_flush_input(int descriptor) {
  return tcflush(descriptor, TCIFLUSH) == 0 ? 0 : -errno;
}

int onefix_serial_unsent(int descriptor) {
  int count = 0;
  return ioctl(descriptor, TIOCOUTQ, &count) == 0 ? count : -errno;
}

int onefix_serial_is_there(int descriptor) {
  struct pollfd port = {.fd = descriptor};
  return poll(&port, 1, 0) < 0 || (port.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
}
