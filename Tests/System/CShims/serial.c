#include "check.h"
#include "onefix_serial.h"
#include "pseudo_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const unsigned int speeds[] = {4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600};

static void check_opening(const char *path) {
  expect_equal(onefix_serial_open("/nowhere"), -ENOENT);
  expect_equal(onefix_serial_open("/dev/null"), -ENOTTY);
  expect_equal(onefix_serial_open("/"), -EISDIR);
  int port = onefix_serial_open(path);
  expect(port >= 0);
  expect(fcntl(port, F_GETFD) & FD_CLOEXEC);
  expect(fcntl(port, F_GETFL) & O_NONBLOCK);
  close(port);
}

static void check_speeds(int port) {
  for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
    expect_equal(onefix_serial_configure(port, speeds[i]), 0);
    expect(pseudo_terminal_is_raw(port, speeds[i]));
    for (int has_modem = 0; has_modem < 2; has_modem++) {
      expect_equal(onefix_serial_configure_marked(port, speeds[i], has_modem), 0);
      expect(pseudo_terminal_is_raw(port, speeds[i]));
      struct termios made;
      expect_equal(tcgetattr(port, &made), 0);
      expect(made.c_iflag & PARMRK);
      expect_equal((made.c_cflag & CLOCAL) == 0, has_modem);
      expect_equal((made.c_cflag & HUPCL) != 0, has_modem);
    }
  }
  const unsigned int others[] = {0, 1, 4799, 4801, 250000, INT_MAX, UINT_MAX};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    expect_equal(onefix_serial_configure(port, others[i]), -EINVAL);
    expect_equal(onefix_serial_configure_marked(port, others[i], 1), -EINVAL);
  }
}

static void check_claims(int port, const char *path) {
  int other = onefix_serial_open(path);
  expect(other >= 0);
  expect_equal(onefix_serial_claim(port), 0);
  expect_equal(onefix_serial_claim(other), -EWOULDBLOCK);
  expect_equal(onefix_serial_release(port), 0);
  expect_equal(onefix_serial_claim(other), 0);
  expect_equal(onefix_serial_claim(port), -EWOULDBLOCK);
  close(other);
  expect_equal(onefix_serial_claim(port), 0);
  expect_equal(onefix_serial_release(port), 0);
  expect_equal(onefix_serial_is_own_pseudo_terminal(port), 1);
}

static void check_bytes(int port, int master) {
  char bytes[8] = {0};
  expect_equal(onefix_serial_configure(port, 9600), 0);
  expect_equal(write(master, "$GP", 3), 3);
  expect_equal(read(port, bytes, sizeof bytes), 3);
  expect_equal(memcmp(bytes, "$GP", 3), 0);
  expect_equal(write(master, "lost", 4), 4);
  expect_equal(onefix_serial_flush_input(port), 0);
  expect_equal(read(port, bytes, sizeof bytes), -1);
  expect_equal(errno, EAGAIN);
  /* A data byte with the value of a mark is doubled. */
  expect_equal(onefix_serial_configure_marked(port, 9600, 0), 0);
  expect_equal(write(master, "\xFF", 1), 1);
  expect_equal(read(port, bytes, sizeof bytes), 2);
  expect_equal(memcmp(bytes, "\xFF\xFF", 2), 0);
  expect_equal(write(port, "12345", 5), 5);
  expect(onefix_serial_unsent(port) >= 0);
  expect_equal(onefix_serial_flush_output(port), 0);
  expect_equal(onefix_serial_unsent(port), 0);
}

static void check_what_is_no_port(void) {
  int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  expect(file >= 0);
  expect_equal(onefix_serial_configure(file, 9600), -ENOTTY);
  expect_equal(onefix_serial_is_own_pseudo_terminal(file), 0);
  expect_equal(onefix_serial_flush_input(file), -ENOTTY);
  expect_equal(onefix_serial_flush_output(file), -ENOTTY);
  expect_equal(onefix_serial_unsent(file), -ENOTTY);
  expect_equal(onefix_serial_claim(file), -ENOTTY);
  expect_equal(onefix_serial_release(file), -ENOTTY);
  close(file);
  expect_equal(onefix_serial_configure(file, 9600), -EBADF);
  expect_equal(onefix_serial_claim(file), -EBADF);
  expect_equal(onefix_serial_release(file), -EBADF);
  expect_equal(onefix_serial_is_own_pseudo_terminal(file), 0);
  expect_equal(onefix_serial_flush_input(file), -EBADF);
  expect_equal(onefix_serial_flush_output(file), -EBADF);
  expect_equal(onefix_serial_unsent(file), -EBADF);
  expect_equal(onefix_serial_is_there(file), 0);
}

void check_serial(void) {
  char path[64];
  expect_equal(pseudo_terminal_open(path, 1), -ERANGE);
  int master = pseudo_terminal_open(path, sizeof path);
  expect(master >= 0);
  check_opening(path);
  int port = onefix_serial_open(path);
  expect(port >= 0);
  check_speeds(port);
  check_claims(port, path);
  check_bytes(port, master);
  expect_equal(onefix_serial_is_there(port), 1);
  close(master);
  expect_equal(onefix_serial_is_there(port), 0);
  expect_equal(onefix_serial_configure(port, 9600), -EIO);
  close(port);
  check_what_is_no_port();
}
