/* A client of the OneFix gateway in C11: this header and onefix.c. It also builds as C++.
 *
 *   static onefix_client client;
 *   onefix_fix fix;
 *   int result = onefix_connect_unix(&client, "/run/onefix/onefix.sock", "park-finder");
 *   if (result == ONEFIX_OK) { result = onefix_request_once(&client, NULL, &fix); }
 *   if (result == ONEFIX_OK) { printf("%f %f\n", fix.lat, fix.lon); }
 *   onefix_close(&client);
 *
 * The client allocates no memory: all of its data is in onefix_client. Its calls wait, one at a time. If the connection is
 * lost, a call opens it again for 5 s and resumes the session. onefix-tls.h connects over TLS, and a transport of your own
 * (onefix_transport) for example over a serial port; ONEFIX_NO_POSIX leaves the sockets out. Over TCP, getaddrinfo of the
 * system resolves the host for each connection, and may allocate; the transport of a host without a heap uses an address.
 */
#ifndef ONEFIX_H
#define ONEFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest line: 4096 bytes, and at a serial port 512. */
#ifndef ONEFIX_LONGEST_LINE
#define ONEFIX_LONGEST_LINE 4096U
#endif

/* The result of a call: 0, a code of the line protocol, or a negative number for an error without a code. */
enum {
  ONEFIX_OK = 0,
  ONEFIX_NO_GATEWAY = -1,      /* no gateway can be reached */
  ONEFIX_UNTRUSTED = -2,       /* the server is not the gateway */
  ONEFIX_CONNECTION_LOST = -3, /* the connection ended, and with it the request */
  ONEFIX_TIMEOUT = -4,         /* no fix or event came in the time that the app gave */
  ONEFIX_BAD_LINE = 400,
  ONEFIX_BAD_CRC = 401,
  ONEFIX_LINE_TOO_LONG = 402,
  ONEFIX_UNKNOWN_VERB = 403,
  ONEFIX_BAD_TOPIC = 404,
  ONEFIX_BAD_ARGUMENT = 405,
  ONEFIX_NOT_DETERMINED = 410,
  ONEFIX_DENIED = 411,
  ONEFIX_RESTRICTED = 412,
  ONEFIX_NOT_IN_USE = 413,
  ONEFIX_LOCKED = 414,
  ONEFIX_NO_PRESS = 420,
  ONEFIX_ALREADY_ARMED = 421,
  ONEFIX_EXPIRED = 422,
  ONEFIX_RATE_LIMITED = 430, /* onefix_client.retry_after has the seconds to wait */
  ONEFIX_TOO_MANY = 431,
  ONEFIX_NOT_OWNER = 432,
  ONEFIX_INTERNAL = 500,
  ONEFIX_NO_FIX = 510,
  ONEFIX_RECEIVER_ABSENT = 511,
  ONEFIX_INDICATOR = 512,
  ONEFIX_STORE = 513,
  ONEFIX_NOT_SAVED = 514,
  ONEFIX_AUTH_REQUIRED = 900,
  ONEFIX_AUTH_TIMEOUT = 901,
  ONEFIX_AUTH_FAILED = 902,
  ONEFIX_PROTO_MISMATCH = 903,
  ONEFIX_SLOW_CONSUMER = 904,
  ONEFIX_KEEPALIVE_TIMEOUT = 905,
  ONEFIX_SHUTTING_DOWN = 906
};

/* How the client reaches the gateway. `context` is the first argument of each function. */
typedef struct {
  void *context;
  /* Opens the connection: ONEFIX_OK, ONEFIX_NO_GATEWAY or ONEFIX_UNTRUSTED. */
  int (*open)(void *context);
  void (*close)(void *context);
  /* Reads at most `capacity` bytes within the time: their count, 0 if none came, -1 if the connection has ended. */
  int (*read)(void *context, char *bytes, size_t capacity, uint32_t milliseconds);
  /* Writes all bytes: 0, or -1 if the connection has ended. */
  int (*write)(void *context, const char *bytes, size_t count);
  /* The time of a monotonic clock, in milliseconds. */
  uint64_t (*now)(void *context);
  void (*pause)(void *context, uint32_t milliseconds);
  /* Fills the bytes from a secure source of random numbers: 0, or -1. Needed with a key. */
  int (*random)(void *context, uint8_t *bytes, size_t count);
  /* Over TLS, writes the SHA-256 of the server's certificate (DER). NULL without TLS. */
  void (*binding)(void *context, uint8_t digest[32]);
} onefix_transport;

typedef struct {
  const char *app;
  const uint8_t *key; /* 32 bytes, or NULL; onefix_read_key reads the text that `onefix key add` shows */
  const char *token;  /* over TLS only, or NULL */
  bool serial;        /* the transport is a serial port, whose lines have checksums */
} onefix_options;

/* An unknown number is NaN, and an unknown text is empty. The line protocol has the units. */
typedef struct {
  double lat, lon, hacc, alt, vacc, speed, sacc, course, cacc;
  int sats, age_ms; /* -1 if unknown */
  char time[32], measured[32], fix[4], accuracy[8], place[40];
  const char *json; /* all members, valid until the next call */
} onefix_fix;

typedef struct {
  const char *purpose;  /* or NULL; at most 80 columns */
  const char *accuracy; /* "reduced", "place" or NULL */
  uint32_t timeout;     /* seconds to wait for the press, 1 to 3600; 0 is 300 */
  int32_t max_age;      /* milliseconds, or -1 */
  bool press;           /* a press is needed although the app may receive fixes without one */
  void (*armed)(void *context); /* called when the gateway waits for the press, or NULL */
  void *context;
} onefix_once;
#define ONEFIX_ONCE_DEFAULT {NULL, NULL, 0, -1, false, NULL, NULL}

typedef struct {
  char status[16];  /* notDetermined, denied, whenInUse or always */
  char accuracy[8]; /* full, reduced or place */
} onefix_authorization;

typedef struct {
  char region[33];
  char event[8]; /* enter or exit */
} onefix_region_event;

/* The data of a client. Only retry_after and text are for the app. */
typedef struct {
  int retry_after; /* seconds after a refusal, or -1 */
  char text[160];  /* the gateway's text of the latest refusal */

  onefix_transport transport;
  onefix_options options;
  bool is_open, uses_checksums, is_skipping, has_early, is_copied;
  uint32_t last_tag;
  unsigned long last_fix;
  char session[64], nonce[40], gateway[64];
  char start[128], stream_tag[12]; /* the command of the stream in progress */
  size_t received;
  size_t taken; /* the bytes of the line that the client has read */
  char buffer[ONEFIX_LONGEST_LINE + 2U];
  char early[ONEFIX_LONGEST_LINE + 2U]; /* a message that came before an expected reply */
  char command[ONEFIX_LONGEST_LINE + 16U];
  int descriptor; /* of the sockets */
  char host[108], port[8];
} onefix_client;

int onefix_connect(onefix_client *client, const onefix_transport *transport, const onefix_options *options);
void onefix_close(onefix_client *client);
int onefix_request_once(onefix_client *client, const onefix_once *request, onefix_fix *fix);
/* The scope is "when-in-use", "always" or "full-accuracy". If nobody answers within 60 s, the result is 420. */
int onefix_authorize(onefix_client *client, const char *scope, const char *purpose, onefix_authorization *answer);
/* The interval in milliseconds and the distance in metres are the least between two fixes; -1 for the gateway's. */
int onefix_start_updates(onefix_client *client, int32_t interval, int32_t distance, bool background);
int onefix_next_update(onefix_client *client, uint32_t milliseconds, onefix_fix *fix);
int onefix_stop_updates(onefix_client *client);
/* Events are "enter", "exit" or "enter,exit"; the radius is in metres. */
int onefix_add_region(onefix_client *client, const char *id, double lat, double lon, double radius, const char *events,
                      const char *text);
int onefix_remove_region(onefix_client *client, const char *id);
/* Calls `each` with the JSON of each region of the app. */
int onefix_list_regions(onefix_client *client, void (*each)(void *context, const char *json), void *context);
int onefix_watch_regions(onefix_client *client);
int onefix_next_region_event(onefix_client *client, uint32_t milliseconds, onefix_region_event *event);
int onefix_unwatch_regions(onefix_client *client);
int onefix_set_in_view(onefix_client *client, bool is_in_view);

/* Reads a key from base64url. Returns whether the text is a key of 32 bytes. */
bool onefix_read_key(const char *text, uint8_t key[32]);
/* Reads a member of a JSON object without nested objects. Returns whether the object has it. Texts are copied without
 * escapes; numbers as they are written. */
bool onefix_member(const char *json, const char *name, char *value, size_t capacity);
/* The CRC-16/CCITT-FALSE of a line. */
uint16_t onefix_crc(const char *bytes, size_t count);

#ifndef ONEFIX_NO_POSIX
int onefix_connect_unix(onefix_client *client, const char *path, const char *app);
/* TCP, for loopback alone: the data is not encrypted. */
int onefix_connect_tcp(onefix_client *client, const char *host, uint16_t port, const char *app, const uint8_t key[32]);
#endif

#ifdef __cplusplus
}
#endif
#endif
