// Measures how long messages take to many subscribers. Used by Scripts/bench fanout.
//
// usage: fan-out lines|mqtt RATE SECONDS [FLOOD] <connections
//
// The sockets are already open, authenticated and subscribed. The standard input has their descriptor numbers: first
// the one to publish on, then those to read. A separate thread publishes RATE messages per second: an epoch of a
// receiver, or a PUBLISH. The time in each message, a whole number of milliseconds, identifies it at the readers.
// FLOOD is the descriptor of a client that meanwhile sends invalid lines as fast as possible and reads the replies.
// Prints a line at the start of the measurement, and then the figures as JSON.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Before the measurement, messages are published until every reader has received one: at most this number, ten per
// second.
enum { longest = 4096, warm_up = 1200 };

struct reader {
  int descriptor;
  unsigned held;  // Bytes of an incomplete message.
  int is_told;  // Whether at least one message has arrived.
  char *rest;
};

static int is_mqtt, rate, seconds, total, out, flood = -1;
static int64_t *published;  // Publication times, in nanoseconds.
static int64_t *completed;  // Times at which the last reader received each message, in nanoseconds.
static uint32_t *heard;  // Numbers of readers that received each message.
static uint32_t *latencies;  // Microseconds.
static size_t count, room;
static uint64_t dropped, flooded;
static size_t size;  // Readers.
static volatile size_t told;  // Readers that received a message.
static volatile int is_over;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

// The time of a message in milliseconds of the day. Warm-up messages are before 07:00.
static int64_t time_of(int message) { return 7 * 3600000 + (int64_t)message * 1000 / rate; }

static void print_clock(char *to, const char *format, int64_t time, int fraction) {
  sprintf(to, format, (int)(time / 3600000 % 24), (int)(time / 60000 % 60), (int)(time / 1000 % 60), fraction);
}

static size_t sentence(char *to, const char *body) {
  unsigned char sum = 0;
  for (const char *at = body; *at; at++) sum ^= (unsigned char)*at;
  return (size_t)sprintf(to, "$%s*%02X\r\n", body, sum);
}

// Writes the sentences of one epoch of a receiver.
static size_t epoch(char *to, int message) {
  int64_t time = time_of(message);
  char clock[64], body[256];
  print_clock(clock, "%02d%02d%02d.%02d", time, (int)(time % 1000 / 10));
  size_t length = 0;
  sprintf(body, "GPRMC,%s,A,4722.61330,N,00832.50160,E,0.4,211.0,211126,,,A", clock);
  length += sentence(to + length, body);
  sprintf(body, "GPGGA,%s,4722.61330,N,00832.50160,E,1,11,0.9,408.2,M,47.3,M,,", clock);
  length += sentence(to + length, body);
  sprintf(body, "GPGST,%s,,,,,2.1,2.3,4.0", clock);
  length += sentence(to + length, body);
  return length;
}

// Writes the JSON that the gateway would send, in a PUBLISH of QoS 0. (MQTT 3.1.1 section 3.3)
static size_t publication(char *to, int message) {
  static const char topic[] = "fix/updates";
  int64_t time = time_of(message);
  char clock[64], body[512];
  print_clock(clock, "%02d:%02d:%02d.%03d", time, (int)(time % 1000));
  size_t length = (size_t)sprintf(
      body,
      "{\"time\":\"2026-11-21T%sZ\",\"lat\":47.376888333,\"lon\":8.541693333,\"hacc\":3.3,\"alt\":408.2,"
      "\"vacc\":4.0,\"speed\":0.205777778,\"course\":211.0,\"fix\":\"3d\",\"sats\":11,\"accuracy\":\"full\",\"age_ms\":0,"
      "\"geoid\":47.3,\"hdop\":0.9,\"quality\":\"autonomous\"}",
      clock);
  size_t rest = 2 + sizeof topic - 1 + length, at = 0;
  to[at++] = 0x30;
  for (size_t value = rest; ; value >>= 7) {
    to[at++] = (char)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
    if (value <= 0x7F) break;
  }
  to[at++] = 0;
  to[at++] = sizeof topic - 1;
  memcpy(to + at, topic, sizeof topic - 1);
  at += sizeof topic - 1;
  memcpy(to + at, body, length);
  return at + length;
}

static void send_message(int message) {
  char text[longest];
  size_t length = is_mqtt ? publication(text, message) : epoch(text, message);
  // The time is stored before the last byte is written, because a reader can receive the message before the call
  // returns.
  if (message >= 0) __atomic_store_n(&published[message], now(), __ATOMIC_RELEASE);
  if (write(out, text, length) != (ssize_t)length) fail("cannot publish");
}

static void sleep_until(int64_t instant) {
  struct timespec time = {instant / 1000000000LL, instant % 1000000000LL};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
}

static void *publish(void *nothing) {
  (void)nothing;
  for (int message = -warm_up; message < 0 && told < size; message++) {
    send_message(message);
    sleep_until(now() + 100000000LL);
  }
  puts("begin");
  fflush(stdout);
  int64_t start = now() + 1000000000LL;
  for (int message = 0; message < total; message++) {
    sleep_until(start + (int64_t)message * 1000000000LL / rate);
    send_message(message);
  }
  sleep_until(now() + 2000000000LL);
  is_over = 1;
  return NULL;
}

static int number(const char *digits, int length) {
  int value = 0;
  for (int index = 0; index < length; index++) value = value * 10 + (digits[index] - '0');
  return value;
}

static void take(struct reader *reader, const char *text, size_t length, int64_t at) {
  static const char key[] = "\"time\":\"", drop[] = "\"dropped\":";
  const char *time = memmem(text, length, key, sizeof key - 1);
  if (!time) return;
  if (!reader->is_told) {
    reader->is_told = 1;
    told++;
  }
  time += sizeof key - 1 + 11;
  int64_t milliseconds = (((number(time, 2) - 7) * 60LL + number(time + 3, 2)) * 60 + number(time + 6, 2)) * 1000
    + number(time + 9, 3);
  if (milliseconds < 0) return;
  int message = (int)((milliseconds * rate + 500) / 1000);
  if (message >= total) return;
  const char *drops = memmem(text, length, drop, sizeof drop - 1);
  if (drops) dropped += (uint64_t)atoll(drops + sizeof drop - 1);
  int64_t since = __atomic_load_n(&published[message], __ATOMIC_ACQUIRE);
  heard[message]++;
  if (at > completed[message]) completed[message] = at;
  if (count < room) latencies[count++] = since && at > since ? (uint32_t)((at - since) / 1000) : 0;
}

// Processes the complete messages in the received bytes.
static size_t take_all(struct reader *reader, const char *bytes, size_t length, int64_t at) {
  size_t begin = 0;
  while (begin < length) {
    size_t size;
    if (is_mqtt) {
      size_t rest = 0, index = begin + 1;
      int shift = 0;
      for (;; index++, shift += 7) {
        if (index >= length) return begin;
        rest |= (size_t)(bytes[index] & 0x7F) << shift;
        if (!(bytes[index] & 0x80)) break;
      }
      size = index + 1 - begin + rest;
      if (begin + size > length) return begin;
      if ((bytes[begin] & 0xF0) == 0x30) take(reader, bytes + begin, size, at);
    } else {
      const char *end = memchr(bytes + begin, '\n', length - begin);
      if (!end) return begin;
      size = (size_t)(end - bytes) + 1 - begin;
      if (size > 16 && !memcmp(bytes + begin, "MSG fix/updates ", 16)) take(reader, bytes + begin, size, at);
    }
    begin += size;
  }
  return begin;
}

static void read_more(struct reader *reader) {
  static char bytes[longest + 65536];
  if (reader->held) memcpy(bytes, reader->rest, reader->held);
  ssize_t part = read(reader->descriptor, bytes + reader->held, 65536);
  if (part == 0 || (part < 0 && errno != EAGAIN)) {
    fprintf(stderr, "a connection was closed\n");
    exit(1);
  }
  if (part < 0) return;
  size_t length = reader->held + (size_t)part;
  size_t taken = take_all(reader, bytes, length, now());
  reader->held = (unsigned)(length - taken);
  if (!reader->held) return;
  if (reader->held > longest) fail("a message is too long");
  if (!reader->rest) reader->rest = malloc(longest);
  memcpy(reader->rest, bytes + taken, reader->held);
}

// A client that sends invalid lines as fast as the server reads them.
static void *say_nonsense(void *nothing) {
  (void)nothing;
  char nonsense[4096], answers[65536];
  for (size_t index = 0; index < sizeof nonsense; index += 8) memcpy(nonsense + index, "rubbish\n", 8);
  while (!is_over) {
    ssize_t said = send(flood, nonsense, sizeof nonsense, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (said > 0) flooded += (uint64_t)said / 8;
    ssize_t told = recv(flood, answers, sizeof answers, MSG_DONTWAIT);
    if (told == 0) break;
    if (said <= 0 && told <= 0) {
      struct timespec pause = {0, 200000};
      nanosleep(&pause, NULL);
    }
  }
  return NULL;
}

static int compare(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

static double quantile(uint32_t *sorted, size_t size, double share) {
  return size ? sorted[(size_t)((double)(size - 1) * share)] / 1000.0 : -1;
}

static void report(void) {
  size_t whole = 0, epochs = 0;
  uint32_t *last = calloc((size_t)total, sizeof *last);
  uint64_t missing = 0;
  for (int message = 0; message < total; message++) {
    epochs++;
    missing += size - heard[message];
    if (heard[message] == size && completed[message] > published[message])
      last[whole++] = (uint32_t)((completed[message] - published[message]) / 1000);
  }
  qsort(latencies, count, sizeof *latencies, compare);
  qsort(last, whole, sizeof *last, compare);
  printf(
      "{\"readers\":%zu,\"rate\":%d,\"messages\":%zu,\"deliveries\":%zu,\"missing\":%llu,\"dropped\":%llu,\"p50_ms\":%.3f,"
      "\"p99_ms\":%.3f,\"max_ms\":%.3f,\"last_p50_ms\":%.3f,\"last_p99_ms\":%.3f,\"flooded\":%llu}\n",
      size, rate, epochs, count, (unsigned long long)missing, (unsigned long long)dropped,
      quantile(latencies, count, 0.5), quantile(latencies, count, 0.99), quantile(latencies, count, 1),
      quantile(last, whole, 0.5), quantile(last, whole, 0.99), (unsigned long long)flooded);
}

int main(int arguments, char **argument) {
  if (arguments < 4 || arguments > 5) {
    fprintf(stderr, "usage: fan-out lines|mqtt RATE SECONDS [FLOOD] <connections\n");
    return 64;
  }
  is_mqtt = !strcmp(argument[1], "mqtt");
  rate = atoi(argument[2]);
  seconds = atoi(argument[3]);
  if (arguments == 5) flood = atoi(argument[4]);
  total = rate * seconds;
  static struct reader readers[65536];
  int polled = epoll_create1(0);
  if (scanf("%d", &out) != 1 || polled < 0) fail("cannot begin");
  while (size < sizeof readers / sizeof *readers && scanf("%d", &readers[size].descriptor) == 1) {
    struct reader *reader = &readers[size++];
    fcntl(reader->descriptor, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = reader};
    if (epoll_ctl(polled, EPOLL_CTL_ADD, reader->descriptor, &event) < 0) fail("cannot poll");
  }
  published = calloc((size_t)total, sizeof *published);
  completed = calloc((size_t)total, sizeof *completed);
  heard = calloc((size_t)total, sizeof *heard);
  room = size * (size_t)total;
  latencies = malloc(room * sizeof *latencies);
  if (!published || !completed || !heard || !latencies) fail("cannot begin");
  memset(latencies, 0, room * sizeof *latencies);
  pthread_t publisher, babbler;
  pthread_create(&publisher, NULL, publish, NULL);
  if (flood >= 0) pthread_create(&babbler, NULL, say_nonsense, NULL);
  struct epoll_event events[256];
  while (!is_over) {
    int ready = epoll_wait(polled, events, 256, 100);
    for (int index = 0; index < ready; index++) read_more(events[index].data.ptr);
  }
  report();
  return 0;
}
