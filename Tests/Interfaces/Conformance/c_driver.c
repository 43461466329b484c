/* The driver of onefix.c and onefix-tls.h for the conformance test. */
#include "onefix-tls.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static onefix_client client;
static char line[65536];
static bool is_first;

/* Connects over TLS, with the credentials of an order. */
static int connect_tls(const char *order) {
  static char host[64], port[8], trust[256], certificate[256], private_key[256], token[64];
  static uint8_t secret[32];
  static onefix_tls tls;
  onefix_options options = {"app", NULL, NULL, false};
  char key[64];
  (void)onefix_member(order, "host", host, sizeof host);
  (void)onefix_member(order, "port", port, sizeof port);
  (void)onefix_member(order, "trust", trust, sizeof trust);
  tls.host = host;
  tls.port = port;
  tls.trust = trust;
  if (onefix_member(order, "certificate", certificate, sizeof certificate) &&
      onefix_member(order, "private_key", private_key, sizeof private_key)) {
    tls.certificate = certificate;
    tls.private_key = private_key;
  }
  if (onefix_member(order, "key", key, sizeof key) && onefix_read_key(key, secret)) { options.key = secret; }
  if (onefix_member(order, "token", token, sizeof token)) { options.token = token; }
  const onefix_transport transport = onefix_tls_transport(&tls);
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

static void write_number(const char *name, double value) {
  if (!isnan(value)) { (void)printf(",\"%s\":%.10g", name, value); }
}

static void write_text(const char *name, const char *value) {
  if (value[0] != '\0') { (void)printf(",\"%s\":\"%s\"", name, value); }
}

/* Writes what the client has read from the members of the fix. */
static void write_fix(const onefix_fix *fix) {
  (void)printf("{\"accuracy\":\"%s\"", fix->accuracy);
  write_number("lat", fix->lat);
  write_number("lon", fix->lon);
  write_number("hacc", fix->hacc);
  write_number("alt", fix->alt);
  write_number("vacc", fix->vacc);
  write_number("speed", fix->speed);
  write_number("sacc", fix->sacc);
  write_number("course", fix->course);
  write_number("cacc", fix->cacc);
  write_number("sats", fix->sats < 0 ? NAN : (double)fix->sats);
  write_number("age_ms", fix->age_ms < 0 ? NAN : (double)fix->age_ms);
  write_text("time", fix->time);
  write_text("measured", fix->measured);
  write_text("fix", fix->fix);
  write_text("place", fix->place);
  (void)puts("}");
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
  if (result == ONEFIX_OK) {
    write_fix(&fix);
  } else {
    write_error(result);
  }
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
    if (result == ONEFIX_OK) { write_fix(&fix); }
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
