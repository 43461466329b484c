#include "CMosquitto.h"
#include "check.h"

/* The faults of the files. The tests of the daemon verify the certificates of real brokers. */
static void check_files(const char *ca, const char *certificate, const char *key, enum onefix_tls_fault fault) {
  struct mosquitto *client = mosquitto_new("client", 1, NULL);
  expect(client);
  struct onefix_tls *tls = onefix_tls_new(client, "localhost", ca, certificate, key);
  expect(tls);
  expect_equal(onefix_tls_fault(tls), fault);
  mosquitto_destroy(client);
  onefix_tls_free(tls);
}

void check_mosquitto(void) {
  mosquitto_lib_init();
  check_files(NULL, NULL, NULL, ONEFIX_TLS_UNVERIFIED);
  check_files("/dev/null", NULL, NULL, ONEFIX_TLS_CA_FILE);
  check_files("/missing", NULL, NULL, ONEFIX_TLS_CA_FILE);
  check_files(NULL, "/dev/null", NULL, ONEFIX_TLS_CERTIFICATE_FILE);
  check_files(NULL, NULL, "/dev/null", ONEFIX_TLS_KEY_FILE);
  char host[300];
  for (int i = 0; i < 299; i++) host[i] = 'a';
  host[299] = 0;
  struct mosquitto *client = mosquitto_new("client", 1, NULL);
  expect(client && !onefix_tls_new(client, host, NULL, NULL, NULL));
  mosquitto_destroy(client);
  mosquitto_lib_cleanup();
}
