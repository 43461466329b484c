#define _GNU_SOURCE
#include "onefix_peer.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* One socket, by both its ends: the kernel looks it up, and walks through no list. (sock_diag(7)) */
static int ask(int netlink, const struct onefix_tcp_end *there, const struct onefix_tcp_end *here) {
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
  } question;
  memset(&question, 0, sizeof question);
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.request.sdiag_family = there->is_ipv6 ? AF_INET6 : AF_INET;
  question.request.sdiag_protocol = IPPROTO_TCP;
  question.request.idiag_states = ~0u;
  question.request.id.idiag_sport = htons(there->port);
  question.request.id.idiag_dport = htons(here->port);
  memcpy(question.request.id.idiag_src, there->address, sizeof there->address);
  memcpy(question.request.id.idiag_dst, here->address, sizeof here->address);
  question.request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  question.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  ssize_t sent = sendto(netlink, &question, sizeof question, 0, (struct sockaddr *)&kernel, sizeof kernel);
  return sent == sizeof question ? 0 : errno;
}

static int hear(int netlink, const struct onefix_tcp_end *there, const struct onefix_tcp_end *here, uint32_t *uid) {
  union {
    struct nlmsghdr header;
    char bytes[4096];
  } answer;
  struct sockaddr_nl sender;
  socklen_t size = sizeof sender;
  ssize_t count;
  do {
    count = recvfrom(netlink, &answer, sizeof answer, 0, (struct sockaddr *)&sender, &size);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno;
  if (sender.nl_pid != 0 || !NLMSG_OK(&answer.header, (size_t)count)) return EBADMSG;
  if (answer.header.nlmsg_type == NLMSG_ERROR) {
    if (answer.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return EBADMSG;
    const struct nlmsgerr *error = NLMSG_DATA(&answer.header);
    return error->error < 0 ? -error->error : EBADMSG;
  }
  if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      answer.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
    return EBADMSG;
  const struct inet_diag_msg *found = NLMSG_DATA(&answer.header);
  /* A listener is found where there is no such connection. */
  if (found->id.idiag_sport != htons(there->port) || found->id.idiag_dport != htons(here->port)) return ENOENT;
  /* A socket that its process has closed has no inode, and says 0, which is root's number. */
  if (found->idiag_inode == 0) return ENOTCONN;
  *uid = found->idiag_uid;
  return 0;
}

int onefix_tcp_peer_uid(struct onefix_tcp_end there, struct onefix_tcp_end here, uint32_t *uid) {
  int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) return errno;
  /* The kernel answers within the call; where it does not, nobody is known. */
  struct timeval patience = {.tv_sec = 1};
  int error = setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 ? 0 : errno;
  if (error == 0) error = ask(netlink, &there, &here);
  if (error == 0) error = hear(netlink, &there, &here, uid);
  close(netlink);
  return error;
}
