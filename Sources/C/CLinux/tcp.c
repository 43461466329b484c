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

/* Requests one socket by both of its ends, so that the kernel does not search a list. (sock_diag(7)) */
static int send_request(int netlink, const struct onefix_tcp_end *peer, const struct onefix_tcp_end *local) {
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
  } message;
  memset(&message, 0, sizeof message);
  message.header.nlmsg_len = sizeof message;
  message.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  message.header.nlmsg_flags = NLM_F_REQUEST;
  message.request.sdiag_family = peer->is_ipv6 ? AF_INET6 : AF_INET;
  message.request.sdiag_protocol = IPPROTO_TCP;
  message.request.idiag_states = ~0u;
  message.request.id.idiag_sport = htons(peer->port);
  message.request.id.idiag_dport = htons(local->port);
  memcpy(message.request.id.idiag_src, peer->address, sizeof peer->address);
  memcpy(message.request.id.idiag_dst, local->address, sizeof local->address);
  message.request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  message.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  ssize_t sent = sendto(netlink, &message, sizeof message, 0, (struct sockaddr *)&kernel, sizeof kernel);
  return sent == sizeof message ? 0 : errno;
}

static int receive_response(int netlink, const struct onefix_tcp_end *peer, const struct onefix_tcp_end *local,
                            uint32_t *uid) {
  union {
    struct nlmsghdr header;
    char bytes[4096];
  } response;
  struct sockaddr_nl sender;
  socklen_t size = sizeof sender;
  ssize_t count;
  do {
    count = recvfrom(netlink, &response, sizeof response, 0, (struct sockaddr *)&sender, &size);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno;
  if (sender.nl_pid != 0 || !NLMSG_OK(&response.header, (size_t)count)) return EBADMSG;
  if (response.header.nlmsg_type == NLMSG_ERROR) {
    if (response.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return EBADMSG;
    const struct nlmsgerr *error = NLMSG_DATA(&response.header);
    return error->error < 0 ? -error->error : EBADMSG;
  }
  if (response.header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      response.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
    return EBADMSG;
  const struct inet_diag_msg *found = NLMSG_DATA(&response.header);
  /* If the connection does not exist, the kernel may return a listener. */
  if (found->id.idiag_sport != htons(peer->port) || found->id.idiag_dport != htons(local->port)) return ENOENT;
  /* A socket that its process has closed has no inode, and its user identifier is 0, which is also that of root. */
  if (found->idiag_inode == 0) return ENOTCONN;
  *uid = found->idiag_uid;
  return 0;
}

int onefix_tcp_peer_uid(struct onefix_tcp_end peer, struct onefix_tcp_end local, uint32_t *uid) {
  int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) return errno;
  /* The kernel answers during the call. Without an answer, the owner of the socket is unknown. */
  struct timeval timeout = {.tv_sec = 1};
  int error = setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0 ? 0 : errno;
  if (error == 0) error = send_request(netlink, &peer, &local);
  if (error == 0) error = receive_response(netlink, &peer, &local, uid);
  close(netlink);
  return error;
}
