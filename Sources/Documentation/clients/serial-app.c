/* An app at a serial port, with checksums: asks for one fix and prints it.
 *
 *   cc -std=c11 -DONEFIX_NO_POSIX -DONEFIX_LONGEST_LINE=512 -o serial-app serial-app.c onefix.c
 *   ./serial-app /dev/ttyGS0 ferry
 *
 * On a microcontroller, the six functions of the port use its UART and its timer; the rest stays the same. The client and
 * its buffers need about 2 kB, and no heap.
 */
#define _DEFAULT_SOURCE
#include "onefix.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  const char *path;
  int descriptor;
} serial_port;

static int port_open(void *context) {
  serial_port *port = (serial_port *)context;
  struct termios settings;
  port->descriptor = open(port->path, O_RDWR | O_NOCTTY);
  if (port->descriptor < 0 || tcgetattr(port->descriptor, &settings) != 0) { return ONEFIX_NO_GATEWAY; }
  cfmakeraw(&settings);
  (void)cfsetspeed(&settings, B115200);
  return tcsetattr(port->descriptor, TCSAFLUSH, &settings) == 0 ? ONEFIX_OK : ONEFIX_NO_GATEWAY;
}

static void port_close(void *context) { (void)close(((serial_port *)context)->descriptor); }

static int port_read(void *context, char *bytes, size_t capacity, uint32_t milliseconds) {
  struct pollfd ready = {((serial_port *)context)->descriptor, POLLIN, 0};
  if (poll(&ready, 1, (int)milliseconds) <= 0) { return 0; }
  const ssize_t count = read(ready.fd, bytes, capacity);
  return count > 0 ? (int)count : -1;
}

static int port_write(void *context, const char *bytes, size_t count) {
  while (count > 0) {
    const ssize_t sent = write(((serial_port *)context)->descriptor, bytes, count);
    if (sent <= 0) { return -1; }
    bytes += sent;
    count -= (size_t)sent;
  }
  return 0;
}

static uint64_t port_now(void *context) {
  struct timespec time;
  (void)context;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void port_pause(void *context, uint32_t milliseconds) {
  const struct timespec time = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};
  (void)context;
  (void)nanosleep(&time, NULL);
}

static void armed(void *context) {
  (void)context;
  (void)fputs("waiting for a press of the button\n", stderr);
}

int main(int count, char **words) {
  static onefix_client client;
  serial_port port = {count > 1 ? words[1] : "/dev/ttyGS0", -1};
  const onefix_transport transport = {&port,      port_open, port_close, port_read, port_write,
                                      port_now, port_pause, NULL,       NULL};
  const onefix_options options = {count > 2 ? words[2] : "ferry", NULL, NULL, true};
  onefix_once request = ONEFIX_ONCE_DEFAULT;
  onefix_fix fix;
  int result = onefix_connect(&client, &transport, &options);
  request.purpose = "To warn of shallows";
  request.armed = armed;
  if (result == ONEFIX_OK) { result = onefix_request_once(&client, &request, &fix); }
  if (result == ONEFIX_OK) {
    (void)printf("%.6f %.6f ± %.0f m\n", fix.lat, fix.lon, fix.hacc);
  } else {
    (void)fprintf(stderr, "no fix: %d %s\n", result, client.text);
  }
  onefix_close(&client);
  return result == ONEFIX_OK ? 0 : 1;
}
