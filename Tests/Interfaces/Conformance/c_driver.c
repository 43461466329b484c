/* The driver of onefix.c for the conformance test. Its transport over TLS uses OpenSSL. */
#define _POSIX_C_SOURCE 200809L
#include "onefix.h"

#include <arpa/inet.h>
#include <math.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static onefix_client client;
static char line[65536];
static bool is_first;

/* TLS. */

static struct {
  char host[64], port[8], trust[256], certificate[256], private_key[256];
  uint8_t key[32];
  char token[64];
  onefix_transport sockets;
  SSL_CTX *context;
  SSL *session;
} tls;

static int open_tls(void *context) {
  struct sockaddr_in address = {0};
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  (void)context;
  address.sin_family = AF_INET;
  address.sin_port = htons((uint16_t)strtol(tls.port, NULL, 10));
  (void)inet_pton(AF_INET, tls.host, &address.sin_addr);
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
    (void)close(descriptor);
    return ONEFIX_NO_GATEWAY;
  }
  tls.context = SSL_CTX_new(TLS_client_method());
  (void)SSL_CTX_load_verify_file(tls.context, tls.trust);
  (void)SSL_CTX_set_min_proto_version(tls.context, TLS1_2_VERSION);
  if (tls.certificate[0] != '\0') {
    (void)SSL_CTX_use_certificate_chain_file(tls.context, tls.certificate);
    (void)SSL_CTX_use_PrivateKey_file(tls.context, tls.private_key, SSL_FILETYPE_PEM);
  }
  SSL_CTX_set_verify(tls.context, SSL_VERIFY_PEER, NULL);
  tls.session = SSL_new(tls.context);
  (void)X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls.session), tls.host);
  (void)SSL_set_fd(tls.session, descriptor);
  if (SSL_connect(tls.session) == 1) { return ONEFIX_OK; }
  SSL_free(tls.session);
  SSL_CTX_free(tls.context);
  (void)close(descriptor);
  return ONEFIX_UNTRUSTED;
}

static void close_tls(void *context) {
  const int descriptor = SSL_get_fd(tls.session);
  (void)context;
  SSL_free(tls.session);
  SSL_CTX_free(tls.context);
  (void)close(descriptor);
}

static int read_tls(void *context, char *bytes, size_t capacity, uint32_t milliseconds) {
  struct pollfd ready = {SSL_get_fd(tls.session), POLLIN, 0};
  int count;
  (void)context;
  if (SSL_pending(tls.session) == 0 && poll(&ready, 1, (int)milliseconds) == 0) { return 0; }
  count = SSL_read(tls.session, bytes, (int)capacity);
  return count > 0 ? count : -1;
}

static int write_tls(void *context, const char *bytes, size_t count) {
  (void)context;
  return SSL_write(tls.session, bytes, (int)count) == (int)count ? 0 : -1;
}

static void binding(void *context, uint8_t digest[32]) {
  X509 *certificate = SSL_get1_peer_certificate(tls.session);
  (void)context;
  (void)X509_digest(certificate, EVP_sha256(), digest, NULL);
  X509_free(certificate);
}

static int connect_tls(const char *order) {
  /* Time and random numbers are those of the sockets. A connection that fails fills them in. */
  (void)onefix_connect_unix(&client, "/", "app");
  onefix_transport transport = client.transport;
  onefix_options options = {"app", NULL, NULL, false};
  char key[64];
  transport.open = open_tls;
  transport.close = close_tls;
  transport.read = read_tls;
  transport.write = write_tls;
  transport.binding = binding;
  (void)onefix_member(order, "host", tls.host, sizeof tls.host);
  (void)onefix_member(order, "port", tls.port, sizeof tls.port);
  (void)onefix_member(order, "trust", tls.trust, sizeof tls.trust);
  (void)onefix_member(order, "certificate", tls.certificate, sizeof tls.certificate);
  (void)onefix_member(order, "private_key", tls.private_key, sizeof tls.private_key);
  if (onefix_member(order, "key", key, sizeof key) && onefix_read_key(key, tls.key)) { options.key = tls.key; }
  if (onefix_member(order, "token", tls.token, sizeof tls.token)) { options.token = tls.token; }
  return onefix_connect(&client, &transport, &options);
}

/* Orders. */

/* Reads a text of an order. Escapes are only those of control characters. */
static const char *text(const char *name, char *value, size_t capacity) {
  char *to = value;
  if (!onefix_member(line, name, value, capacity)) { return NULL; }
  for (const char *from = value; *from != '\0'; from++) {
    if (*from != '\\') {
      *to++ = *from;
    } else {
      static const char letters[] = "nrtbf", values[] = "\n\r\t\b\f";
      const char *found = strchr(letters, *++from);
      if (*from == 'u') {
        *to = (char)strtol((char[]){from[1], from[2], from[3], from[4], '\0'}, NULL, 16);
        /* A text in C cannot contain 0, so another control character stands for it. */
        if (*to == '\0') { *to = '\1'; }
        to++;
        from += 4;
      } else {
        *to++ = found == NULL ? *from : values[found - letters];
      }
    }
  }
  *to = '\0';
  return value;
}

static int32_t integer(const char *name, int32_t absent) {
  char value[24];
  return onefix_member(line, name, value, sizeof value) ? (int32_t)strtol(value, NULL, 10) : absent;
}

static double decimal(const char *name) {
  char value[40];
  return onefix_member(line, name, value, sizeof value) ? strtod(value, NULL) : (double)NAN;
}

static bool flag(const char *name) {
  char value[8];
  return onefix_member(line, name, value, sizeof value) && strcmp(value, "true") == 0;
}

static void write_error(int result) {
  if (result == ONEFIX_UNTRUSTED) {
    (void)puts("{\"error\":\"untrusted\"}");
  } else if (result < 0) {
    (void)puts("{\"error\":\"lost\"}");
  } else if (client.retry_after >= 0) {
    (void)printf("{\"error\":%d,\"retry_after\":%d}\n", result, client.retry_after);
  } else {
    (void)printf("{\"error\":%d}\n", result);
  }
}

static void write_result(int result, const char *done) {
  if (result == ONEFIX_OK) {
    (void)puts(done);
  } else {
    write_error(result);
  }
}

static void write_id(void *context, const char *json) {
  char id[40];
  (void)context;
  (void)onefix_member(json, "id", id, sizeof id);
  (void)printf("%s\"%s\"", is_first ? "" : ",", id);
  is_first = false;
}

static int open_connection(void) {
  char path[256], host[64], key[64], trust[8];
  uint8_t secret[32];
  static uint8_t kept[32];
  if (text("socket", path, sizeof path) != NULL) { return onefix_connect_unix(&client, path, "app"); }
  if (text("trust", trust, sizeof trust) != NULL) { return connect_tls(line); }
  (void)text("host", host, sizeof host);
  if (text("key", key, sizeof key) == NULL || !onefix_read_key(key, secret)) { return ONEFIX_BAD_ARGUMENT; }
  (void)memcpy(kept, secret, sizeof kept);
  return onefix_connect_tcp(&client, host, (uint16_t)integer("port", 0), "app", kept);
}

static void request(void) {
  char purpose[256], accuracy[16];
  onefix_once once = ONEFIX_ONCE_DEFAULT;
  onefix_fix fix;
  once.purpose = text("purpose", purpose, sizeof purpose);
  once.accuracy = text("accuracy", accuracy, sizeof accuracy);
  once.timeout = (uint32_t)integer("timeout", 0);
  once.max_age = integer("max_age", -1);
  once.press = flag("press");
  const int result = onefix_request_once(&client, &once, &fix);
  write_result(result, result == ONEFIX_OK ? fix.json : "");
}

static void authorize(void) {
  char purpose[256], scope[20];
  onefix_authorization answer;
  (void)text("scope", scope, sizeof scope);
  const int result = onefix_authorize(&client, scope, text("purpose", purpose, sizeof purpose), &answer);
  if (result == ONEFIX_OK) {
    (void)printf("{\"status\":\"%s\",\"accuracy\":\"%s\"}\n", answer.status, answer.accuracy);
  } else {
    write_error(result);
  }
}

static void updates(void) {
  onefix_fix fix;
  int result = onefix_start_updates(&client, integer("interval", -1), integer("distance", -1), flag("background"));
  for (int32_t left = integer("count", 0); left > 0 && result == ONEFIX_OK; left--) {
    result = onefix_next_update(&client, 60000, &fix);
    if (result == ONEFIX_OK) { (void)puts(fix.json); }
    (void)fflush(stdout);
  }
  if (result == ONEFIX_OK) { result = onefix_stop_updates(&client); }
  write_result(result, "{\"stopped\":true}");
}

static void region_events(void) {
  onefix_region_event event;
  int result = onefix_watch_regions(&client);
  for (int32_t left = integer("count", 0); left > 0 && result == ONEFIX_OK; left--) {
    result = onefix_next_region_event(&client, 60000, &event);
    if (result == ONEFIX_OK) { (void)printf("{\"region\":\"%s\",\"event\":\"%s\"}\n", event.region, event.event); }
    (void)fflush(stdout);
  }
  if (result == ONEFIX_OK) { result = onefix_unwatch_regions(&client); }
  write_result(result, "{\"stopped\":true}");
}

static void add_region(void) {
  char id[40], events[64], words[256], joined[16] = "";
  (void)onefix_member(line, "events", events, sizeof events);
  if (strstr(events, "enter") != NULL) { (void)strcpy(joined, "enter"); }
  if (strstr(events, "exit") != NULL) { (void)strcat(joined, joined[0] == '\0' ? "exit" : ",exit"); }
  write_result(onefix_add_region(&client, text("id", id, sizeof id), decimal("lat"), decimal("lon"), decimal("radius"), joined,
                                 text("text", words, sizeof words)),
               "{\"done\":true}");
}

static void regions(void) {
  is_first = true;
  (void)fputs("{\"ids\":[", stdout);
  write_result(onefix_list_regions(&client, write_id, NULL), "]}");
}

int main(void) {
  (void)signal(SIGPIPE, SIG_IGN);
  while (fgets(line, sizeof line, stdin) != NULL) {
    char name[24], id[40];
    line[strcspn(line, "\n")] = '\0';
    (void)onefix_member(line, "do", name, sizeof name);
    if (strcmp(name, "connect") == 0) {
      write_result(open_connection(), "{\"connected\":true}");
    } else if (strcmp(name, "request_once") == 0) {
      request();
    } else if (strcmp(name, "authorize") == 0) {
      authorize();
    } else if (strcmp(name, "updates") == 0) {
      updates();
    } else if (strcmp(name, "region_events") == 0) {
      region_events();
    } else if (strcmp(name, "add_region") == 0) {
      add_region();
    } else if (strcmp(name, "remove_region") == 0) {
      write_result(onefix_remove_region(&client, text("id", id, sizeof id)), "{\"done\":true}");
    } else if (strcmp(name, "regions") == 0) {
      regions();
    } else if (strcmp(name, "close") == 0) {
      onefix_close(&client);
      (void)puts("{\"closed\":true}");
    } else {
      write_result(onefix_set_in_view(&client, strcmp(name, "foreground") == 0), "{\"done\":true}");
    }
    (void)fflush(stdout);
  }
  return 0;
}
