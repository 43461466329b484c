/* The client library of the Mosquitto broker (libmosquitto 2.0, mosquitto.h), and its TLS. */
#ifndef ONEFIX_CMOSQUITTO_H
#define ONEFIX_CMOSQUITTO_H

#include <mosquitto.h>
#include <mqtt_protocol.h>

/* The reason why a connection over TLS fails. */
enum onefix_tls_fault {
  ONEFIX_TLS_GOOD,
  /* The broker has not sent a certificate yet. */
  ONEFIX_TLS_UNVERIFIED,
  /* No authority that the client trusts has signed the broker's certificate. */
  ONEFIX_TLS_UNTRUSTED,
  ONEFIX_TLS_EXPIRED,
  ONEFIX_TLS_NOT_YET_VALID,
  ONEFIX_TLS_WRONG_HOST,
  /* The broker's certificate is invalid for another reason. */
  ONEFIX_TLS_INVALID,
  /* The file of the authorities, of the client's certificate or of its key cannot be used. */
  ONEFIX_TLS_CA_FILE,
  ONEFIX_TLS_CERTIFICATE_FILE,
  ONEFIX_TLS_KEY_FILE,
};

/* The TLS of a client. */
struct onefix_tls;

/*
 * Makes a client use TLS. libmosquitto's own TLS does the same, but does not report why a verification failed. The broker
 * must have a certificate for `host`, signed by an authority of the PEM file `ca`, or of the system if `ca` is null.
 * `certificate` and `key` are PEM files, or null. Returns null if the memory is exhausted. The caller frees the object
 * after the client is destroyed.
 */
struct onefix_tls *onefix_tls_new(struct mosquitto *client, const char *host, const char *ca, const char *certificate,
                                  const char *key);
void onefix_tls_free(struct onefix_tls *tls);

enum onefix_tls_fault onefix_tls_fault(const struct onefix_tls *tls);

#endif
