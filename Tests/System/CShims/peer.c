#define _GNU_SOURCE
#include "onefix_peer.h"
#include "check.h"
#include "spawn_closing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int pidfd_of(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

static void check_credentials(void) {
  int ends[2];
  expect_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  struct onefix_peer_credentials peer = {0};
  socklen_t size = sizeof peer;
  expect_equal(getsockopt(ends[0], SOL_SOCKET, ONEFIX_SO_PEERCRED, &peer, &size), 0);
  expect_equal(size, sizeof peer);
  expect_equal(peer.pid, getpid());
  expect_equal(peer.uid, geteuid());
  expect_equal(peer.gid, getegid());
  int pidfd = -1;
  size = sizeof pidfd;
  if (getsockopt(ends[0], SOL_SOCKET, ONEFIX_SO_PEERPIDFD, &pidfd, &size) == 0) {
    expect_equal(onefix_pidfd_is_alive(pidfd), 1);
    close(pidfd);
  } else {
    /* Linux before 6.5. */
    expect_equal(errno, ENOPROTOOPT);
  }
  close(ends[0]);
  close(ends[1]);
}

static void check_processes(void) {
  int own = pidfd_of(getpid());
  expect(own >= 0);
  expect_equal(onefix_pidfd_is_alive(own), 1);
  close(own);
  expect_equal(onefix_pidfd_is_alive(own), 0);

  /* A child that ends on request and inherits only the first three descriptors. */
  int ends[2];
  expect_equal(pipe2(ends, 0), 0);
  posix_spawn_file_actions_t actions;
  expect_equal(posix_spawn_file_actions_init(&actions), 0);
  expect_equal(posix_spawn_file_actions_adddup2(&actions, ends[0], 0), 0);
  expect_equal(spawn_closing_from(&actions, 3), 0);
  expect_equal(spawn_closing_from(&actions, -1), EBADF);
  char script[] = "read line; exit $(ls /proc/self/fd | wc -l)";
  char *words[] = {"sh", "-c", script, NULL};
  pid_t child;
  expect_equal(posix_spawnp(&child, "sh", &actions, NULL, words, environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  int pidfd = pidfd_of(child);
  expect(pidfd >= 0);
  expect_equal(onefix_pidfd_is_alive(pidfd), 1);
  expect_equal(write(ends[1], "\n", 1), 1);
  int status;
  expect_equal(waitpid(child, &status, 0), child);
  /* The first three descriptors, and the folder that is read. */
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 4);
  expect_equal(onefix_pidfd_is_alive(pidfd), 0);
  close(pidfd);
  close(ends[0]);
  close(ends[1]);
}

static struct onefix_tcp_end end_of(const struct sockaddr_storage *address) {
  struct onefix_tcp_end end = {0};
  if (address->ss_family == AF_INET6) {
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    memcpy(end.address, &six->sin6_addr, 16);
    end.port = ntohs(six->sin6_port);
    end.is_ipv6 = 1;
  } else {
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    memcpy(end.address, &four->sin_addr, 4);
    end.port = ntohs(four->sin_port);
  }
  return end;
}

/* Checks the user of a connection while it is open and after its end. No result is valid if the machine has no such
   addresses. */
static void check_connection(struct sockaddr_storage address, socklen_t size) {
  int listener = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0) {
    expect(address.ss_family == AF_INET6);
    if (listener >= 0) close(listener);
    return;
  }
  expect_equal(listen(listener, 1), 0);
  expect_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
  int client = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  expect_equal(connect(client, (struct sockaddr *)&address, size), 0);
  int server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  expect(server >= 0);
  struct sockaddr_storage other;
  socklen_t other_size = sizeof other;
  expect_equal(getpeername(server, (struct sockaddr *)&other, &other_size), 0);

  struct onefix_tcp_end here = end_of(&address), there = end_of(&other);
  uint32_t uid = UINT32_MAX;
  expect_equal(onefix_tcp_peer_uid(there, here, &uid), 0);
  expect_equal(uid, geteuid());
  uid = UINT32_MAX;
  /* A listener is not a connection. */
  struct onefix_tcp_end nobody = there;
  nobody.port = 1;
  expect_equal(onefix_tcp_peer_uid(nobody, here, &uid), ENOENT);
  expect_equal(onefix_tcp_peer_uid(here, nobody, &uid), ENOENT);
  struct onefix_tcp_end nowhere = {{0}, 0, there.is_ipv6};
  expect_equal(onefix_tcp_peer_uid(nowhere, nowhere, &uid), ENOENT);
  close(client);
  expect_equal(onefix_tcp_peer_uid(there, here, &uid), ENOTCONN);
  expect_equal(uid, UINT32_MAX);
  close(server);
  close(listener);
}

void check_peer(void) {
  onefix_return_memory();
  check_credentials();
  check_processes();
  struct sockaddr_storage address = {0};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  memcpy(&address, &four, sizeof four);
  check_connection(address, sizeof four);
  memset(&address, 0, sizeof address);
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  memcpy(&address, &six, sizeof six);
  check_connection(address, sizeof six);
}
