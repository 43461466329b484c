/* TLS for onefix.h, with OpenSSL (3.0 or newer) and POSIX sockets. Include this file in one file of the app, before all
 * other headers, and link with -lssl -lcrypto:
 *
 *   static onefix_tls tls = {.host = "boat.example", .port = "7448", .trust = "ca.pem"};
 *   const onefix_transport transport = onefix_tls_transport(&tls);
 *   const onefix_options options = {.app = "ferry", .key = key};
 *   int result = onefix_connect(&client, &transport, &options);
 *
 * OpenSSL allocates memory for each connection. The app ignores the signal SIGPIPE, because a write to a connection that
 * the gateway has closed causes this signal: signal(SIGPIPE, SIG_IGN).
 */
#ifndef ONEFIX_TLS_H
#define ONEFIX_TLS_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "onefix.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  const char *host, *port;
  const char *trust;                     /* a file with the trusted certificates (PEM); NULL for those of this machine */
  const char *certificate, *private_key; /* the files of the app's certificate and of its private key (PEM), or NULL */

  int descriptor;
  SSL_CTX *settings;
  SSL *session;
} onefix_tls;

/* Lets the system end the connection within two minutes after the gateway's machine or its cable is gone. */
static void onefix_tls_keep_alive(int descriptor) {
  const int on = 1;
  (void)setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
#ifdef TCP_KEEPIDLE
  const int idle = 60, interval = 15, count = 4;
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
#endif
}

/* Connects to the host. Returns the descriptor, or -1. The handshake and each record may take 10 s. */
static int onefix_tls_dial(const onefix_tls *tls) {
  const struct timeval patience = {10, 0};
  struct addrinfo hints = {0}, *found = NULL;
  int descriptor = -1;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(tls->host, tls->port, &hints, &found) != 0) { return -1; }
  for (const struct addrinfo *each = found; each != NULL && descriptor < 0; each = each->ai_next) {
    descriptor = socket(each->ai_family, SOCK_STREAM, 0);
    if (descriptor >= 0 && connect(descriptor, each->ai_addr, each->ai_addrlen) != 0) {
      (void)close(descriptor);
      descriptor = -1;
    }
  }
  freeaddrinfo(found);
  if (descriptor >= 0) {
    (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    onefix_tls_keep_alive(descriptor);
  }
  return descriptor;
}

/* A gateway that stops, and a forwarder in front of a stopped gateway, end the connection during the handshake. */
static bool onefix_tls_is_lost(const onefix_tls *tls, int result) {
  const int error = SSL_get_error(tls->session, result);
  return error == SSL_ERROR_SYSCALL || error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ||
         ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}

/* ONEFIX_OK if the server has a trusted certificate for the host; ONEFIX_NO_GATEWAY if the connection was lost. */
static int onefix_tls_handshake(onefix_tls *tls) {
  int result;
  const bool is_trusting = tls->trust == NULL ? SSL_CTX_set_default_verify_paths(tls->settings) == 1
                                              : SSL_CTX_load_verify_file(tls->settings, tls->trust) == 1;
  if (!is_trusting || SSL_CTX_set_min_proto_version(tls->settings, TLS1_2_VERSION) != 1) { return ONEFIX_UNTRUSTED; }
  if (tls->certificate != NULL &&
      (SSL_CTX_use_certificate_chain_file(tls->settings, tls->certificate) != 1 ||
       SSL_CTX_use_PrivateKey_file(tls->settings, tls->private_key, SSL_FILETYPE_PEM) != 1)) {
    return ONEFIX_UNTRUSTED;
  }
  SSL_CTX_set_verify(tls->settings, SSL_VERIFY_PEER, NULL);
  /* A read returns after a record without data, so that it does not wait longer than the app. */
  (void)SSL_CTX_clear_mode(tls->settings, SSL_MODE_AUTO_RETRY);
  tls->session = SSL_new(tls->settings);
  if (tls->session == NULL || SSL_set_fd(tls->session, tls->descriptor) != 1) { return ONEFIX_UNTRUSTED; }
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls->session), tls->host) != 1 &&
      (SSL_set1_host(tls->session, tls->host) != 1 || SSL_set_tlsext_host_name(tls->session, tls->host) != 1)) {
    return ONEFIX_UNTRUSTED;
  }
  ERR_clear_error();
  result = SSL_connect(tls->session);
  if (result == 1) { return ONEFIX_OK; }
  return onefix_tls_is_lost(tls, result) ? ONEFIX_NO_GATEWAY : ONEFIX_UNTRUSTED;
}

static void onefix_tls_close(void *context) {
  onefix_tls *tls = (onefix_tls *)context;
  SSL_free(tls->session);
  SSL_CTX_free(tls->settings);
  (void)close(tls->descriptor);
}

static int onefix_tls_open(void *context) {
  onefix_tls *tls = (onefix_tls *)context;
  int result = ONEFIX_UNTRUSTED;
  tls->descriptor = onefix_tls_dial(tls);
  if (tls->descriptor < 0) { return ONEFIX_NO_GATEWAY; }
  tls->session = NULL;
  tls->settings = SSL_CTX_new(TLS_client_method());
  if (tls->settings != NULL) { result = onefix_tls_handshake(tls); }
  if (result != ONEFIX_OK) { onefix_tls_close(tls); }
  return result;
}

static int onefix_tls_read(void *context, char *bytes, size_t capacity, uint32_t milliseconds) {
  onefix_tls *tls = (onefix_tls *)context;
  struct pollfd ready = {tls->descriptor, POLLIN, 0};
  if (SSL_pending(tls->session) == 0 && poll(&ready, 1, (int)milliseconds) <= 0) { return 0; }
  ERR_clear_error();
  const int count = SSL_read(tls->session, bytes, (int)capacity);
  if (count > 0) { return count; }
  return SSL_get_error(tls->session, count) == SSL_ERROR_WANT_READ ? 0 : -1;
}

static int onefix_tls_write(void *context, const char *bytes, size_t count) {
  return SSL_write(((onefix_tls *)context)->session, bytes, (int)count) == (int)count ? 0 : -1;
}

static uint64_t onefix_tls_now(void *context) {
  struct timespec time;
  (void)context;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000U + (uint64_t)time.tv_nsec / 1000000U;
}

static void onefix_tls_pause(void *context, uint32_t milliseconds) {
  const struct timespec time = {(time_t)(milliseconds / 1000U), (long)(milliseconds % 1000U) * 1000000L};
  (void)context;
  (void)nanosleep(&time, NULL);
}

static int onefix_tls_random(void *context, uint8_t *bytes, size_t count) {
  (void)context;
  return RAND_bytes(bytes, (int)count) == 1 ? 0 : -1;
}

static void onefix_tls_binding(void *context, uint8_t digest[32]) {
  X509 *certificate = SSL_get1_peer_certificate(((onefix_tls *)context)->session);
  (void)X509_digest(certificate, EVP_sha256(), digest, NULL);
  X509_free(certificate);
}

/* The transport of a client. The settings must exist as long as the client. */
static onefix_transport onefix_tls_transport(onefix_tls *tls) {
  const onefix_transport transport = {tls,
                                      onefix_tls_open,
                                      onefix_tls_close,
                                      onefix_tls_read,
                                      onefix_tls_write,
                                      onefix_tls_now,
                                      onefix_tls_pause,
                                      onefix_tls_random,
                                      onefix_tls_binding};
  return transport;
}

#endif
