#include "CMosquitto.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

struct onefix_tls {
  enum onefix_tls_fault fault;
  char host[256];
};

static enum onefix_tls_fault classify(int error) {
  switch (error) {
  case X509_V_ERR_CERT_HAS_EXPIRED:
    return ONEFIX_TLS_EXPIRED;
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return ONEFIX_TLS_NOT_YET_VALID;
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_CERT_UNTRUSTED:
    return ONEFIX_TLS_UNTRUSTED;
  default:
    return ONEFIX_TLS_INVALID;
  }
}

/* As in libmosquitto, the name of the host can be an address, and an old certificate can have it as its common name. */
static int is_for_host(X509 *certificate, const char *host) {
  return certificate && (X509_check_host(certificate, host, 0, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, NULL) == 1 ||
                         X509_check_ip_asc(certificate, host, 0) == 1);
}

static int verify(X509_STORE_CTX *context, void *argument) {
  struct onefix_tls *tls = argument;
  if (X509_verify_cert(context) != 1) {
    tls->fault = classify(X509_STORE_CTX_get_error(context));
    return 0;
  }
  if (!is_for_host(X509_STORE_CTX_get0_cert(context), tls->host)) {
    tls->fault = ONEFIX_TLS_WRONG_HOST;
    X509_STORE_CTX_set_error(context, X509_V_ERR_HOSTNAME_MISMATCH);
    return 0;
  }
  tls->fault = ONEFIX_TLS_GOOD;
  return 1;
}

/* A daemon has no terminal for the passphrase of a key. */
static int no_passphrase(char *buffer, int size, int writes, void *argument) {
  (void)buffer, (void)size, (void)writes, (void)argument;
  return 0;
}

static enum onefix_tls_fault load(SSL_CTX *context, const char *ca, const char *certificate, const char *key) {
  if (SSL_CTX_load_verify_locations(context, ca, ca ? NULL : "/etc/ssl/certs") != 1) return ONEFIX_TLS_CA_FILE;
  if (certificate && SSL_CTX_use_certificate_chain_file(context, certificate) != 1) return ONEFIX_TLS_CERTIFICATE_FILE;
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  if (key && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) return ONEFIX_TLS_KEY_FILE;
  return ONEFIX_TLS_UNVERIFIED;
}

struct onefix_tls *onefix_tls_new(struct mosquitto *client, const char *host, const char *ca, const char *certificate,
                                  const char *key) {
  struct onefix_tls *tls = calloc(1, sizeof *tls);
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  int result = MOSQ_ERR_NOMEM;
  if (tls && context && strlen(host) < sizeof tls->host) {
    strcpy(tls->host, host);
    tls->fault = load(context, ca, certificate, key);
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_cert_verify_callback(context, verify, tls);
    /* libmosquitto keeps a reference of its own. */
    result = mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0);
    if (result == MOSQ_ERR_SUCCESS) result = mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, context);
  }
  SSL_CTX_free(context);
  /* OpenSSL keeps the errors of a thread, and would report them as errors of a later call. */
  ERR_clear_error();
  if (result == MOSQ_ERR_SUCCESS) return tls;
  free(tls);
  return NULL;
}

void onefix_tls_free(struct onefix_tls *tls) { free(tls); }

enum onefix_tls_fault onefix_tls_fault(const struct onefix_tls *tls) { return tls->fault; }
