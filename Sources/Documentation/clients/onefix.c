/* A client of the OneFix gateway: see onefix.h.
 *
 * The code is written for MISRA C:2012, and was never certified. Of the required rules, `cppcheck --addon=misra` (2.10)
 * reports 21.6, because snprintf writes the lines; 7.4, 10.4 and 10.6 at texts in arrays of char, at characters such as '"'
 * and at values of `?:`; and for the sockets 10.3, 10.4, 10.8 and 21.1, because of the types and the macro of POSIX. Of the
 * advisory rules it reports: a function may return early (15.5), operators may need no parentheses (12.1), one declaration
 * may have several names (12.3), pointers may move (18.4, 17.8), a context is a pointer to void (11.5), onefix_connect
 * is for other files, too (8.7), an enumeration has no name (2.4), and the headers of sockets stand beside them (20.1).
 */
#ifndef ONEFIX_NO_POSIX
#define _POSIX_C_SOURCE 200809L
#endif
#include "onefix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The longest wait for a reply, and the time that a session survives the loss of its connection, in milliseconds. */
#define PATIENCE 10000U
#define GRACE 5000U
/* If a user presses at the last moment, the fix may take another minute. */
#define MARGIN 75000U

/* Returns the number of bytes between two places of one text. */
static size_t distance(const char *from, const char *to) {
  const ptrdiff_t count = to - from;
  return (size_t)count;
}

/* SHA-256 (FIPS 180-4) and HMAC (RFC 2104). */

typedef struct {
  uint32_t state[8];
  uint64_t count;
  uint8_t block[64];
} sha256;

static uint32_t rotated(uint32_t word, unsigned bits) { return (word >> bits) | (word << (32U - bits)); }

static void sha256_begin(sha256 *hash) {
  static const uint32_t first[8] = {0x6A09E667U, 0xBB67AE85U, 0x3C6EF372U, 0xA54FF53AU,
                                    0x510E527FU, 0x9B05688CU, 0x1F83D9ABU, 0x5BE0CD19U};
  (void)memcpy(hash->state, first, sizeof first);
  hash->count = 0;
}

static void sha256_block(sha256 *hash) {
  static const uint32_t constants[64] = {
      0x428A2F98U, 0x71374491U, 0xB5C0FBCFU, 0xE9B5DBA5U, 0x3956C25BU, 0x59F111F1U, 0x923F82A4U, 0xAB1C5ED5U,
      0xD807AA98U, 0x12835B01U, 0x243185BEU, 0x550C7DC3U, 0x72BE5D74U, 0x80DEB1FEU, 0x9BDC06A7U, 0xC19BF174U,
      0xE49B69C1U, 0xEFBE4786U, 0x0FC19DC6U, 0x240CA1CCU, 0x2DE92C6FU, 0x4A7484AAU, 0x5CB0A9DCU, 0x76F988DAU,
      0x983E5152U, 0xA831C66DU, 0xB00327C8U, 0xBF597FC7U, 0xC6E00BF3U, 0xD5A79147U, 0x06CA6351U, 0x14292967U,
      0x27B70A85U, 0x2E1B2138U, 0x4D2C6DFCU, 0x53380D13U, 0x650A7354U, 0x766A0ABBU, 0x81C2C92EU, 0x92722C85U,
      0xA2BFE8A1U, 0xA81A664BU, 0xC24B8B70U, 0xC76C51A3U, 0xD192E819U, 0xD6990624U, 0xF40E3585U, 0x106AA070U,
      0x19A4C116U, 0x1E376C08U, 0x2748774CU, 0x34B0BCB5U, 0x391C0CB3U, 0x4ED8AA4AU, 0x5B9CCA4FU, 0x682E6FF3U,
      0x748F82EEU, 0x78A5636FU, 0x84C87814U, 0x8CC70208U, 0x90BEFFFAU, 0xA4506CEBU, 0xBEF9A3F7U, 0xC67178F2U};
  uint32_t words[64];
  uint32_t s[8];
  for (unsigned i = 0; i < 16U; i++) {
    const uint8_t *b = &hash->block[4U * i];
    words[i] = ((uint32_t)b[0] << 24) | ((uint32_t)b[1] << 16) | ((uint32_t)b[2] << 8) | (uint32_t)b[3];
  }
  for (unsigned i = 16; i < 64U; i++) {
    const uint32_t a = words[i - 15U], b = words[i - 2U];
    words[i] = words[i - 16U] + (rotated(a, 7) ^ rotated(a, 18) ^ (a >> 3)) + words[i - 7U] +
               (rotated(b, 17) ^ rotated(b, 19) ^ (b >> 10));
  }
  (void)memcpy(s, hash->state, sizeof s);
  for (unsigned i = 0; i < 64U; i++) {
    const uint32_t one = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                         ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + words[i];
    const uint32_t two =
        (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    (void)memmove(&s[1], &s[0], 7U * sizeof s[0]);
    s[4] += one;
    s[0] = one + two;
  }
  for (unsigned i = 0; i < 8U; i++) { hash->state[i] += s[i]; }
}

static void sha256_add(sha256 *hash, const void *bytes, size_t count) {
  const uint8_t *rest = (const uint8_t *)bytes;
  for (size_t i = 0; i < count; i++) {
    hash->block[hash->count % 64U] = rest[i];
    hash->count++;
    if (hash->count % 64U == 0U) { sha256_block(hash); }
  }
}

static void sha256_end(sha256 *hash, uint8_t digest[32]) {
  const uint64_t bits = hash->count * 8U;
  const uint8_t one = 0x80U, zero = 0U;
  uint8_t length[8];
  for (unsigned i = 0; i < 8U; i++) {
    const unsigned shift = 56U - 8U * i;
    length[i] = (uint8_t)(bits >> shift);
  }
  sha256_add(hash, &one, 1);
  while (hash->count % 64U != 56U) { sha256_add(hash, &zero, 1); }
  sha256_add(hash, length, 8);
  for (unsigned i = 0; i < 32U; i++) { digest[i] = (uint8_t)(hash->state[i / 4U] >> (24U - 8U * (i % 4U))); }
}

static void write_hex(const uint8_t *bytes, size_t count, char *digits) {
  for (size_t i = 0; i < count; i++) {
    digits[2U * i] = "0123456789abcdef"[bytes[i] >> 4];
    digits[2U * i + 1U] = "0123456789abcdef"[bytes[i] & 15U];
  }
  digits[2U * count] = '\0';
}

/* Writes the proof of a role as hexadecimal digits. */
static void prove(const onefix_client *client, const char *role, const char *nonce, char digits[65]) {
  uint8_t pad[64], digest[32];
  char binding[65] = "";
  sha256 hash;
  const char *parts[] = {"onefix-v1", role, client->gateway, client->options.app, client->nonce, nonce};
  if (client->transport.binding != NULL) {
    client->transport.binding(client->transport.context, digest);
    write_hex(digest, 32, binding);
  }
  for (unsigned i = 0; i < 64U; i++) { pad[i] = (uint8_t)((i < 32U ? client->options.key[i] : 0U) ^ 0x36U); }
  sha256_begin(&hash);
  sha256_add(&hash, pad, 64);
  for (unsigned i = 0; i < 6U; i++) {
    sha256_add(&hash, parts[i], strlen(parts[i]));
    sha256_add(&hash, "\n", 1);
  }
  sha256_add(&hash, binding, strlen(binding));
  sha256_end(&hash, digest);
  for (unsigned i = 0; i < 64U; i++) { pad[i] ^= 0x36U ^ 0x5CU; }
  sha256_begin(&hash);
  sha256_add(&hash, pad, 64);
  sha256_add(&hash, digest, 32);
  sha256_end(&hash, digest);
  write_hex(digest, 32, digits);
}

bool onefix_read_key(const char *text, uint8_t key[32]) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  uint32_t bits = 0;
  size_t count = 0;
  for (size_t i = 0; i < 43U; i++) {
    const char *found = text[i] == '\0' ? NULL : strchr(alphabet, text[i]);
    if (found == NULL) { return false; }
    bits = (bits << 6) | (uint32_t)distance(alphabet, found);
    if (i % 4U != 0U) { key[count++] = (uint8_t)(bits >> (6U - 2U * (i % 4U))); }
  }
  /* The last character has two bits that belong to no byte. */
  return (bits & 3U) == 0U && (text[43] == '\0' || (text[43] == '=' && text[44] == '\0'));
}

uint16_t onefix_crc(const char *bytes, size_t count) {
  uint32_t crc = 0xFFFFU;
  for (size_t i = 0; i < count; i++) {
    crc ^= (uint32_t)(uint8_t)bytes[i] << 8;
    for (unsigned bit = 0; bit < 8U; bit++) { crc = (crc & 0x8000U) != 0U ? (crc << 1) ^ 0x1021U : crc << 1; }
    crc &= 0xFFFFU;
  }
  return (uint16_t)crc;
}

/* JSON and fields. */

static void copy(char *to, size_t capacity, const char *from, size_t count) {
  const size_t length = count < capacity ? count : capacity - 1U;
  (void)memcpy(to, from, length);
  to[length] = '\0';
}

static const char *skip_spaces(const char *text) {
  while (*text == ' ') { text++; }
  return text;
}

/* Returns the end of a value; NULL if it is none. */
static const char *end_of_value(const char *text) {
  unsigned depth = 0;
  bool is_text = false;
  if (*text == '\0' || strchr(",}]:", *text) != NULL) { return NULL; }
  while (*text != '\0') {
    if (is_text) {
      if (*text == '\\' && text[1] != '\0') { text++; }
      else { is_text = *text != '"'; }
    } else if (*text == '"') {
      is_text = true;
    } else if (*text == '{' || *text == '[') {
      depth++;
    } else if (*text == '}' || *text == ']') {
      if (depth == 0U) { return text; }
      depth--;
    } else {
      if (*text == ',' && depth == 0U) { return text; }
    }
    text++;
  }
  return NULL;
}

typedef struct {
  const char *name, *value;
  size_t name_length, value_length;
} member;

/* Reads the next member. Returns 1, 0 at the end of the object, or -1 if the text is no object. */
static int next_member(const char **text, member *found) {
  const char *end;
  const char *rest = skip_spaces(*text);
  if (*rest == '}') { return *skip_spaces(rest + 1) == '\0' ? 0 : -1; }
  if (*rest == '{' || *rest == ',') { rest = skip_spaces(rest + 1); }
  if (*rest == '}') { return *skip_spaces(rest + 1) == '\0' ? 0 : -1; }
  if (*rest != '"') { return -1; }
  end = strchr(rest + 1, '"');
  if (end == NULL) { return -1; }
  found->name = rest + 1;
  found->name_length = distance(found->name, end);
  rest = skip_spaces(end + 1);
  if (*rest != ':') { return -1; }
  rest = skip_spaces(rest + 1);
  end = end_of_value(rest);
  if (end == NULL) { return -1; }
  found->value = rest;
  found->value_length = distance(rest, end);
  *text = end;
  return 1;
}

static bool is_object(const char *json) {
  member found;
  int result = *json == '{' ? 1 : -1;
  while (result == 1) { result = next_member(&json, &found); }
  return result == 0;
}

bool onefix_member(const char *json, const char *name, char *value, size_t capacity) {
  member found;
  value[0] = '\0';
  while (next_member(&json, &found) == 1) {
    if (found.name_length != strlen(name) || strncmp(found.name, name, found.name_length) != 0) { continue; }
    if (found.value[0] == '"' && found.value_length >= 2U) {
      copy(value, capacity, found.value + 1, found.value_length - 2U);
    } else {
      copy(value, capacity, found.value, found.value_length);
    }
    return true;
  }
  return false;
}

/* Reads a number with a decimal point, in every locale. */
static double number(const char *json, const char *name) {
  char text[40];
  const char *rest = text;
  double value = 0.0, scale = 1.0;
  bool is_negative, has_digits = false;
  if (!onefix_member(json, name, text, sizeof text)) { return (double)NAN; }
  is_negative = *rest == '-';
  if (is_negative) { rest++; }
  for (; *rest >= '0' && *rest <= '9'; rest++) {
    value = value * 10.0 + (double)(*rest - '0');
    has_digits = true;
  }
  if (*rest == '.') {
    for (rest++; *rest >= '0' && *rest <= '9'; rest++) {
      value = value * 10.0 + (double)(*rest - '0');
      scale *= 10.0;
    }
  }
  if (!has_digits || *rest != '\0') { return (double)NAN; }
  value /= scale;
  return is_negative ? -value : value;
}

/* Reads the decimal digits at the beginning of a text. */
static unsigned long natural(const char *digits) {
  unsigned long value = 0;
  while (*digits >= '0' && *digits <= '9') {
    const int digit = *digits - '0';
    value = value * 10U + (unsigned long)digit;
    digits++;
  }
  return value;
}

static int whole(const char *json, const char *name) {
  const double value = number(json, name);
  return value >= 0.0 && value < 2e9 ? (int)value : -1;
}

/* Returns the word of a line with this index, from 0; its length is 0 after the last word. */
static const char *word(const char *line, unsigned index, size_t *length) {
  for (unsigned i = 0; i < index; i++) {
    const char *space = strchr(line, ' ');
    line = space == NULL ? "" : space + 1;
  }
  *length = strcspn(line, " ");
  return line;
}

static bool has_word(const char *line, unsigned index, const char *expected) {
  size_t length;
  const char *found = word(line, index, &length);
  return length == strlen(expected) && strncmp(found, expected, length) == 0;
}

/* Reads the value of a field before the text or the JSON of a line. Returns whether the line has it. */
static bool field(const char *line, const char *key, char *value, size_t capacity) {
  const size_t length = strlen(key);
  unsigned index = 1;
  value[0] = '\0';
  for (;;) {
    size_t found;
    const char *text = word(line, index, &found);
    index++;
    if (*text == '\0' || *text == ':' || *text == '{') { return false; }
    if (found > length && strncmp(text, key, length) == 0 && text[length] == '=') {
      copy(value, capacity, text + length + 1U, found - length - 1U);
      return true;
    }
  }
}

/* Lines. */

static uint64_t now(const onefix_client *client) { return client->transport.now(client->transport.context); }

static void cut(onefix_client *client) {
  if (client->is_open) { client->transport.close(client->transport.context); }
  client->is_open = false;
}

static int lose(onefix_client *client) {
  cut(client);
  return ONEFIX_CONNECTION_LOST;
}

/* Sends the text in client->command. */
static int send_command(onefix_client *client) {
  size_t length = strlen(client->command);
  if (!client->is_open) { return ONEFIX_CONNECTION_LOST; }
  if (client->uses_checksums) {
    (void)snprintf(client->command + length, sizeof client->command - length, "*%04X",
                   (unsigned)onefix_crc(client->command, length));
    length += 5U;
  }
  client->command[length] = '\n';
  if (client->transport.write(client->transport.context, client->command, length + 1U) != 0) { return lose(client); }
  return ONEFIX_OK;
}

static int send_text(onefix_client *client, const char *text) {
  (void)snprintf(client->command, sizeof client->command - 8U, "%s", text);
  return send_command(client);
}

/* Removes the checksum of a line. Returns whether it was right. */
static bool verify(char *line) {
  char large[6], small[6];
  unsigned crc;
  const size_t length = strlen(line);
  if (length < 5U || line[length - 5U] != '*') { return false; }
  crc = onefix_crc(line, length - 5U);
  (void)snprintf(large, sizeof large, "%04X", crc);
  (void)snprintf(small, sizeof small, "%04x", crc);
  for (unsigned i = 0; i < 4U; i++) {
    const char digit = line[length - 4U + i];
    if (digit != large[i] && digit != small[i]) { return false; }
  }
  line[length - 5U] = '\0';
  return true;
}

/* Returns whether a whole line is a line of text; it then ends with 0. */
static bool accept_line(const onefix_client *client, char *line, size_t length) {
  if (length > 0U && line[length - 1U] == '\r') { length--; }
  line[length] = '\0';
  for (size_t i = 0; i < length; i++) {
    if ((uint8_t)line[i] < 0x20U || line[i] == '\x7F') { return false; }
  }
  return length > 0U && (!client->uses_checksums || verify(line));
}

/* Reads the next line that is not a heartbeat: ONEFIX_OK, ONEFIX_TIMEOUT or ONEFIX_CONNECTION_LOST. */
static int read_line(onefix_client *client, uint64_t end, char **line) {
  for (;;) {
    char *found;
    int count;
    uint64_t time;
    client->received -= client->taken;
    (void)memmove(client->buffer, client->buffer + client->taken, client->received);
    client->taken = 0;
    found = (char *)memchr(client->buffer, '\n', client->received);
    if (found != NULL) {
      const bool is_rest = client->is_skipping;
      client->taken = distance(client->buffer, found) + 1U;
      client->is_skipping = false;
      if (is_rest || !accept_line(client, client->buffer, client->taken - 1U)) { continue; }
      *line = client->buffer;
      if (strcmp(*line, "PING") != 0) { return ONEFIX_OK; }
      if (send_text(client, "PONG") != ONEFIX_OK) { return ONEFIX_CONNECTION_LOST; }
      continue;
    }
    if (client->received >= sizeof client->buffer - 1U) {
      client->received = 0;
      client->is_skipping = true;
    }
    time = now(client);
    if (!client->is_open) { return ONEFIX_CONNECTION_LOST; }
    if (time >= end) { return ONEFIX_TIMEOUT; }
    count = client->transport.read(client->transport.context, client->buffer + client->received,
                                   sizeof client->buffer - 1U - client->received,
                                   end - time > 0x7FFFFFFFU ? 0x7FFFFFFFU : (uint32_t)(end - time));
    if (count < 0) { return lose(client); }
    client->received += (size_t)count;
  }
}

/* Returns the code of an error, or 0 if the line is none. The tag is empty if the line has none. */
static int read_error(onefix_client *client, const char *line, char *tag, size_t capacity) {
  char value[12];
  const char *text;
  size_t length;
  int code = 0;
  const char *digits = word(line, 1, &length);
  tag[0] = '\0';
  if (!has_word(line, 0, "-ERR") || length != 3U) { return 0; }
  for (unsigned i = 0; i < 3U; i++) {
    if (digits[i] < '0' || digits[i] > '9') { return 0; }
    code = code * 10 + (digits[i] - '0');
  }
  (void)word(line, 2, &length);
  if (code < 400 || length == 0U) { return 0; }
  text = word(line, 3, &length);
  if (*text == '@') { copy(tag, capacity, text, length); }
  client->retry_after = field(line, "retry-after", value, sizeof value) ? (int)natural(value) : -1;
  text = strstr(line, " :");
  copy(client->text, sizeof client->text, text == NULL ? "" : text + 2, text == NULL ? 0U : strlen(text + 2));
  return code;
}

/* Returns the error after which the connection is closed. */
static int end_of_connection(onefix_client *client, int code) {
  cut(client);
  return code >= ONEFIX_SLOW_CONSUMER ? ONEFIX_CONNECTION_LOST : code;
}

typedef struct {
  void (*each)(void *context, const char *json);
  void *context;
} listing;

/* Reads the reply to the command with this tag. Messages that come before it are kept: the newest one. */
static int read_reply(onefix_client *client, const char *tag, uint32_t patience, const listing *list, char **reply) {
  const uint64_t end = now(client) + patience;
  for (;;) {
    char found[12];
    int code;
    int result = read_line(client, end, reply);
    if (result != ONEFIX_OK) { return result; }
    if (has_word(*reply, 0, "+OK") && has_word(*reply, 1, tag)) { return ONEFIX_OK; }
    code = read_error(client, *reply, found, sizeof found);
    if (code >= ONEFIX_AUTH_REQUIRED) { return end_of_connection(client, code); }
    if (code != 0 && (found[0] == '\0' || strcmp(found, tag) == 0)) { return code; }
    if (list != NULL && has_word(*reply, 1, "regions")) {
      const char *json = strchr(*reply, '{');
      if (json != NULL && is_object(json)) { list->each(list->context, json); }
    } else if (code != 0 || has_word(*reply, 1, "fix/once") || has_word(*reply, 1, "fix/updates") ||
               has_word(*reply, 1, "authorization") || strncmp(*reply, "MSG region/", 11) == 0) {
      copy(client->early, sizeof client->early, *reply, strlen(*reply));
      client->has_early = true;
    } else {
      /* A message about something else changes nothing. */
    }
  }
}

static void make_tag(onefix_client *client, char tag[12]) {
  client->last_tag++;
  (void)snprintf(tag, 12, "@%lu", (unsigned long)client->last_tag);
}

/* Sends a command, and reads its reply. With checksums, the command is repeated if a line was lost. */
static int say(onefix_client *client, const char *tag, const char *text, const listing *list, char **reply) {
  char *ignored;
  int result = ONEFIX_TIMEOUT;
  const unsigned attempts = client->uses_checksums ? 3U : 1U;
  for (const char *rest = text; *rest != '\0'; rest++) {
    if ((uint8_t)*rest < 0x20U || *rest == '\x7F') {
      copy(client->text, sizeof client->text, "a text must not contain control characters", 42);
      return ONEFIX_BAD_ARGUMENT;
    }
  }
  if (strlen(text) + 20U > ONEFIX_LONGEST_LINE) { return ONEFIX_LINE_TOO_LONG; }
  for (unsigned i = 0; i < attempts && (result == ONEFIX_TIMEOUT || result == ONEFIX_BAD_CRC); i++) {
    (void)snprintf(client->command, sizeof client->command - 8U, "%s %s", tag, text);
    result = send_command(client);
    if (result == ONEFIX_OK) {
      result = read_reply(client, tag, PATIENCE / attempts, list, reply == NULL ? &ignored : reply);
    }
    client->is_copied = i > 0U;
    /* The gateway has accepted a copy of the command whose reply was lost. */
    if (i > 0U && result == ONEFIX_ALREADY_ARMED) { result = ONEFIX_OK; }
  }
  return result == ONEFIX_TIMEOUT ? lose(client) : result;
}

static int say_untagged(onefix_client *client, const char *text, char **reply) {
  char tag[12];
  make_tag(client, tag);
  return say(client, tag, text, NULL, reply);
}

/* Sends a command that needs no answer. */
static void tell(onefix_client *client, const char *text) {
  char tag[12];
  make_tag(client, tag);
  (void)snprintf(client->command, sizeof client->command - 8U, "%s %s", tag, text);
  (void)send_command(client);
}

/* Sessions. */

/* Proves that this is the app, if the reply to HELLO demands it. */
static int authenticate(onefix_client *client, const char *nonce, char **reply) {
  char proof[65], digits[72], command[96];
  if (client->options.key != NULL) {
    unsigned difference = 0;
    prove(client, "server", nonce, proof);
    (void)field(*reply, "proof", digits, sizeof digits);
    for (unsigned i = 0; i < 64U; i++) {
      difference |= (unsigned)(uint8_t)proof[i] ^ (unsigned)(uint8_t)(i < strlen(digits) ? digits[i] : '\0');
    }
    /* A server without the key receives nothing more. */
    if (difference != 0U || strlen(digits) != 64U) {
      cut(client);
      return ONEFIX_UNTRUSTED;
    }
    prove(client, "client", nonce, proof);
    (void)snprintf(command, sizeof command, "AUTH hmac=%s", proof);
  } else {
    if (!field(*reply, "auth", digits, sizeof digits) || strcmp(digits, "required") != 0) { return ONEFIX_OK; }
    if (client->options.token == NULL || client->transport.binding == NULL) { return ONEFIX_AUTH_REQUIRED; }
    (void)snprintf(command, sizeof command, "AUTH token=%s", client->options.token);
  }
  return say_untagged(client, command, reply);
}

/* Opens a connection and begins a session, or resumes it. */
static int open_session(onefix_client *client, bool *is_same) {
  char hello[256], tag[12], nonce[33] = "", former[64];
  uint8_t bytes[16];
  char *line;
  const uint64_t end = now(client) + PATIENCE;
  int result = client->transport.open(client->transport.context);
  *is_same = false;
  if (result != ONEFIX_OK) { return result; }
  client->is_open = true;
  client->uses_checksums = false;
  client->is_skipping = false;
  client->received = 0;
  client->taken = 0;
  /* At a serial port, the gateway greets after an empty HELLO; the empty line ends what the port still had. */
  if (client->options.serial) { result = send_text(client, "\nHELLO"); }
  do {
    if (result == ONEFIX_OK) { result = read_line(client, end, &line); }
    if (result != ONEFIX_OK) { return result == ONEFIX_TIMEOUT ? lose(client) : result; }
  } while (client->options.serial && !has_word(line, 0, "INFO"));
  if (!has_word(line, 0, "INFO")) {
    cut(client);
    return ONEFIX_UNTRUSTED;
  }
  (void)field(line, "id", client->gateway, sizeof client->gateway);
  (void)field(line, "nonce", client->nonce, sizeof client->nonce);
  copy(former, sizeof former, client->session, strlen(client->session));
  if (client->options.key != NULL) {
    if (client->transport.random == NULL || client->transport.random(client->transport.context, bytes, 16) != 0) {
      cut(client);
      return ONEFIX_UNTRUSTED;
    }
    write_hex(bytes, 16, nonce);
  }
  (void)snprintf(hello, sizeof hello, "HELLO 1 app=%s keepalive=0%s%s%s%s%s", client->options.app,
                 former[0] == '\0' ? "" : " session=", former, nonce[0] == '\0' ? "" : " nonce=", nonce,
                 client->options.serial ? " crc" : "");
  make_tag(client, tag);
  (void)snprintf(client->command, sizeof client->command - 8U, "%s %s", tag, hello);
  result = send_command(client);
  /* The reply to HELLO has a checksum already. */
  client->uses_checksums = client->options.serial;
  if (result == ONEFIX_OK) { result = read_reply(client, tag, PATIENCE, NULL, &line); }
  if (result == ONEFIX_TIMEOUT) { result = lose(client); }
  if (result == ONEFIX_OK) { result = authenticate(client, nonce, &line); }
  if (result != ONEFIX_OK) { return result; }
  (void)field(line, "session", client->session, sizeof client->session);
  if (former[0] != '\0') {
    /* No reply shows whether the session is the same. Only the same session has this subscription, which ends after so
     * many messages that it stays. */
    result = say_untagged(client, "UNSUB press 1000000", NULL);
    *is_same = result == ONEFIX_OK;
    if (result == ONEFIX_OK || result < 0) { return result; }
    client->last_fix = 0;
    client->has_early = false;
  }
  return say_untagged(client, "SUB button/press press", NULL);
}

/* Connects again. Writes whether the session is the same, and its status. */
static int resume(onefix_client *client, bool *is_same, char **status) {
  const uint64_t end = now(client) + GRACE;
  *is_same = true;
  for (;;) {
    bool is_still_same = false;
    int result;
    cut(client);
    result = open_session(client, &is_still_same);
    if (result == ONEFIX_OK) {
      *is_same = *is_same && is_still_same;
      result = say_untagged(client, "STATUS", status);
    }
    if (result != ONEFIX_NO_GATEWAY && result != ONEFIX_CONNECTION_LOST && result != ONEFIX_TOO_MANY) { return result; }
    if (now(client) >= end) { return ONEFIX_CONNECTION_LOST; }
    client->transport.pause(client->transport.context, 100);
  }
}

/* Sends a command whose repetition changes nothing, if necessary on a new connection. */
static int do_command(onefix_client *client, const char *text, const listing *list) {
  char tag[12];
  char *status;
  bool is_same;
  int result;
  make_tag(client, tag);
  result = say(client, tag, text, list, NULL);
  if (result != ONEFIX_CONNECTION_LOST) { return result; }
  result = resume(client, &is_same, &status);
  return result == ONEFIX_OK ? say(client, tag, text, list, NULL) : result;
}

/* Waits for a message whose topic begins so, or for the end of the command with this tag. */
static int wait_message(onefix_client *client, const char *topic, const char *tag, uint64_t end, char **line) {
  for (;;) {
    char found[12];
    int code;
    size_t length;
    const char *words;
    if (client->has_early) {
      *line = client->early;
      client->has_early = false;
    } else {
      const int result = read_line(client, end, line);
      if (result != ONEFIX_OK) { return result; }
    }
    code = read_error(client, *line, found, sizeof found);
    if (code >= ONEFIX_AUTH_REQUIRED) { return end_of_connection(client, code); }
    if (code != 0 && strcmp(found, tag) == 0) { return code; }
    words = word(*line, 1, &length);
    if (has_word(*line, 0, "MSG") && strncmp(words, topic, strlen(topic)) == 0 && strchr(words, '{') != NULL &&
        is_object(strchr(words, '{'))) {
      return ONEFIX_OK;
    }
  }
}

static void fill(onefix_fix *fix, const char *line) {
  const char *json = strchr(line, '{');
  fix->json = json;
  fix->lat = number(json, "lat");
  fix->lon = number(json, "lon");
  fix->hacc = number(json, "hacc");
  fix->alt = number(json, "alt");
  fix->vacc = number(json, "vacc");
  fix->speed = number(json, "speed");
  fix->sacc = number(json, "sacc");
  fix->course = number(json, "course");
  fix->cacc = number(json, "cacc");
  fix->sats = whole(json, "sats");
  fix->age_ms = whole(json, "age_ms");
  (void)onefix_member(json, "time", fix->time, sizeof fix->time);
  (void)onefix_member(json, "measured", fix->measured, sizeof fix->measured);
  (void)onefix_member(json, "fix", fix->fix, sizeof fix->fix);
  (void)onefix_member(json, "accuracy", fix->accuracy, sizeof fix->accuracy);
  (void)onefix_member(json, "place", fix->place, sizeof fix->place);
}

/* Acknowledges a fix. A fix that is sent again is acknowledged again, but is no new fix. */
static bool is_new(onefix_client *client, const char *line) {
  char value[12], command[24];
  unsigned long id;
  if (!field(line, "id", value, sizeof value)) { return true; }
  id = natural(value);
  (void)snprintf(command, sizeof command, "ACK %lu", id);
  tell(client, command);
  if (id <= client->last_fix) { return false; }
  client->last_fix = id;
  return true;
}

static bool has_early_fix(const onefix_client *client) {
  return client->has_early && strncmp(client->early, "MSG fix/once ", 13) == 0;
}

/* Acknowledges and drops a fix of an earlier request, which no call has returned. */
static void drop_early_fix(onefix_client *client) {
  if (has_early_fix(client)) {
    (void)is_new(client, client->early);
    client->has_early = false;
  }
}

/* Returns whether a fix came that no call has returned yet. */
static bool has_new_fix(const onefix_client *client) {
  char value[12];
  if (!has_early_fix(client)) { return false; }
  return !field(client->early, "id", value, sizeof value) || natural(value) > client->last_fix;
}

/* Calls. */

int onefix_connect(onefix_client *client, const onefix_transport *transport, const onefix_options *options) {
  bool is_same;
  const int descriptor = client->descriptor;
  char host[sizeof client->host], port[sizeof client->port];
  (void)memcpy(host, client->host, sizeof host);
  (void)memcpy(port, client->port, sizeof port);
  (void)memset(client, 0, sizeof *client);
  client->descriptor = descriptor;
  (void)memcpy(client->host, host, sizeof host);
  (void)memcpy(client->port, port, sizeof port);
  client->retry_after = -1;
  client->transport = *transport;
  client->options = *options;
  return open_session(client, &is_same);
}

void onefix_close(onefix_client *client) {
  if (client->is_open) { (void)send_text(client, "BYE"); }
  cut(client);
}

static int ask(onefix_client *client, const onefix_once *request, const char *tag, uint32_t timeout) {
  char text[512], age[32] = "", state[20];
  char *reply;
  int result;
  int length;
  if (request->max_age >= 0) { (void)snprintf(age, sizeof age, " max-age=%ld", (long)request->max_age); }
  length = snprintf(text, sizeof text, "REQ once timeout=%lu%s%s%s%s%s%s", (unsigned long)timeout,
                    request->accuracy == NULL ? "" : " accuracy=", request->accuracy == NULL ? "" : request->accuracy, age,
                    request->press ? " press=required" : "", request->purpose == NULL ? "" : " purpose=",
                    request->purpose == NULL ? "" : request->purpose);
  if (length < 0 || (size_t)length >= sizeof text) { return ONEFIX_LINE_TOO_LONG; }
  result = say(client, tag, text, NULL, &reply);
  /* A fix that came before the reply, or the end of the connection, belongs to an earlier request, or to a copy. */
  if (!client->is_copied) { drop_early_fix(client); }
  if (result == ONEFIX_OK && request->armed != NULL && field(reply, "state", state, sizeof state) &&
      strcmp(state, "awaiting-press") == 0) {
    request->armed(request->context);
  }
  return result;
}

int onefix_request_once(onefix_client *client, const onefix_once *request, onefix_fix *fix) {
  static const onefix_once usual = ONEFIX_ONCE_DEFAULT;
  onefix_once asked = request == NULL ? usual : *request;
  const uint32_t timeout = asked.timeout == 0U ? 300U : asked.timeout;
  const uint64_t end = now(client) + (uint64_t)timeout * 1000U;
  bool is_accepted = false;
  char tag[12];
  make_tag(client, tag);
  drop_early_fix(client);
  for (;;) {
    int result = ONEFIX_OK;
    char state[20];
    char *line;
    bool is_same, is_held, is_early = false;
    if (!is_accepted) {
      const uint64_t left = end > now(client) ? (end - now(client) + 999U) / 1000U : 1U;
      result = ask(client, &asked, tag, left > timeout ? timeout : (uint32_t)left);
      is_accepted = result == ONEFIX_OK;
      if (is_accepted) { asked.armed = NULL; }
      is_early = is_accepted && has_new_fix(client);
    }
    while (result == ONEFIX_OK) {
      result = wait_message(client, "fix/once ", tag, end + MARGIN, &line);
      if (result == ONEFIX_OK && is_new(client, line)) {
        /* The reply to the first copy was lost, and the second copy is a request of its own. */
        if (is_early) { tell(client, "CANCEL"); }
        fill(fix, line);
        return ONEFIX_OK;
      }
      is_early = false;
    }
    if (result == ONEFIX_TIMEOUT) {
      tell(client, "CANCEL");
      return ONEFIX_CONNECTION_LOST;
    }
    if (result != ONEFIX_CONNECTION_LOST) { return result; }
    result = resume(client, &is_same, &line);
    if (result != ONEFIX_OK) { return result; }
    (void)field(line, "state", state, sizeof state);
    is_held = strcmp(state, "awaiting-press") == 0 || strcmp(state, "acquiring") == 0 ||
              has_new_fix(client);
    /* The gateway reported the end of the request on the lost connection. */
    if (is_same && is_accepted && !is_held) { return ONEFIX_CONNECTION_LOST; }
    is_accepted = is_same && is_held;
  }
}

static int read_authorization(onefix_authorization *answer, const char *fields) {
  (void)field(fields, "authorization", answer->status, sizeof answer->status);
  (void)field(fields, "accuracy", answer->accuracy, sizeof answer->accuracy);
  return ONEFIX_OK;
}

static int question(onefix_client *client, const char *text, onefix_authorization *answer) {
  bool is_asked = false;
  char tag[12];
  make_tag(client, tag);
  for (;;) {
    char value[20];
    char *line;
    bool is_same;
    int result = is_asked ? ONEFIX_OK : say_untagged(client, "SUB authorization authorize", NULL);
    if (result == ONEFIX_OK && !is_asked) {
      result = say(client, tag, text, NULL, &line);
      if (result == ONEFIX_OK) {
        if (!field(line, "state", value, sizeof value)) { return read_authorization(answer, line); }
        is_asked = true;
        /* A message that came before the reply is no answer. */
        client->has_early = false;
      }
    }
    while (result == ONEFIX_OK) {
      result = wait_message(client, "authorization ", tag, now(client) + MARGIN, &line);
      if (result == ONEFIX_OK && !field(line, "ret", value, sizeof value)) {
        (void)onefix_member(strchr(line, '{'), "status", answer->status, sizeof answer->status);
        (void)onefix_member(strchr(line, '{'), "accuracy", answer->accuracy, sizeof answer->accuracy);
        return ONEFIX_OK;
      }
    }
    if (result == ONEFIX_TIMEOUT) { return ONEFIX_CONNECTION_LOST; }
    if (result != ONEFIX_CONNECTION_LOST) { return result; }
    result = resume(client, &is_same, &line);
    if (result != ONEFIX_OK) { return result; }
    if (is_same && is_asked && (!field(line, "indicator", value, sizeof value) || strcmp(value, "prompt") != 0)) {
      return read_authorization(answer, line);
    }
    is_asked = is_same && is_asked;
  }
}

int onefix_authorize(onefix_client *client, const char *scope, const char *purpose, onefix_authorization *answer) {
  char text[512];
  int result;
  const int length = snprintf(text, sizeof text, "AUTHORIZE %s%s%s", scope, purpose == NULL ? "" : " purpose=",
                              purpose == NULL ? "" : purpose);
  if (length < 0 || (size_t)length >= sizeof text) { return ONEFIX_LINE_TOO_LONG; }
  result = question(client, text, answer);
  if (client->is_open) { tell(client, "UNSUB authorize"); }
  return result;
}

/* Begins the stream whose command is client->start. */
static int begin(onefix_client *client) {
  char *status;
  bool is_same;
  int result;
  make_tag(client, client->stream_tag);
  result = say(client, client->stream_tag, client->start, NULL, NULL);
  if (result != ONEFIX_CONNECTION_LOST) { return result; }
  result = resume(client, &is_same, &status);
  return result == ONEFIX_OK ? say(client, client->stream_tag, client->start, NULL, NULL) : result;
}

/* Waits for an element of the stream in progress, also on a new connection. */
static int next(onefix_client *client, const char *topic, uint32_t milliseconds, char **line) {
  const uint64_t end = now(client) + milliseconds;
  for (;;) {
    bool is_same;
    char *status;
    int result = wait_message(client, topic, client->stream_tag, end, line);
    if (result != ONEFIX_CONNECTION_LOST) { return result; }
    result = resume(client, &is_same, &status);
    if (result != ONEFIX_OK) { return result; }
    result = say(client, client->stream_tag, client->start, NULL, NULL);
    /* The updates of the resumed session continue. */
    if (result != ONEFIX_OK && result != ONEFIX_CONNECTION_LOST && !(is_same && result == ONEFIX_ALREADY_ARMED)) {
      return result;
    }
  }
}

int onefix_start_updates(onefix_client *client, int32_t interval, int32_t distance, bool background) {
  char first[32] = "", second[32] = "";
  if (interval >= 0) { (void)snprintf(first, sizeof first, " interval=%ld", (long)interval); }
  if (distance >= 0) { (void)snprintf(second, sizeof second, " distance=%ld", (long)distance); }
  (void)snprintf(client->start, sizeof client->start, "START updates%s%s%s", first, second,
                 background ? " background" : "");
  return begin(client);
}

int onefix_next_update(onefix_client *client, uint32_t milliseconds, onefix_fix *fix) {
  char *line;
  const int result = next(client, "fix/updates ", milliseconds, &line);
  if (result == ONEFIX_OK) { fill(fix, line); }
  return result;
}

static int stop(onefix_client *client, const char *text) {
  client->has_early = false;
  return client->is_open ? say_untagged(client, text, NULL) : ONEFIX_OK;
}

int onefix_stop_updates(onefix_client *client) { return stop(client, "STOP updates"); }

/* Writes a number with at most 10 decimals, without an exponent, in every locale. */
static void write_decimal(double value, char text[32]) {
  const bool is_negative = value < 0.0;
  const double scaled = (is_negative ? -value : value) * 1e10 + 0.5;
  const unsigned long long digits = scaled < 1e18 ? (unsigned long long)scaled : 0ULL;
  size_t length = (size_t)snprintf(text, 32, "%s%llu.%010llu", is_negative && digits != 0ULL ? "-" : "",
                                   digits / 10000000000ULL, digits % 10000000000ULL);
  while (text[length - 1U] == '0') { length--; }
  if (text[length - 1U] == '.') { length--; }
  text[length] = '\0';
}

int onefix_add_region(onefix_client *client, const char *id, double lat, double lon, double radius, const char *events,
                      const char *text) {
  char command[640], first[32], second[32], third[32];
  int length;
  write_decimal(lat, first);
  write_decimal(lon, second);
  write_decimal(radius, third);
  length = snprintf(command, sizeof command, "REGION ADD %s %s %s %s %s :%s", id, first, second, third, events, text);
  return length < 0 || (size_t)length >= sizeof command ? ONEFIX_LINE_TOO_LONG : do_command(client, command, NULL);
}

int onefix_remove_region(onefix_client *client, const char *id) {
  char command[64];
  const int length = snprintf(command, sizeof command, "REGION DEL %s", id);
  return length < 0 || (size_t)length >= sizeof command ? ONEFIX_BAD_ARGUMENT : do_command(client, command, NULL);
}

int onefix_list_regions(onefix_client *client, void (*each)(void *context, const char *json), void *context) {
  listing list;
  list.each = each;
  list.context = context;
  return do_command(client, "REGION LIST", &list);
}

int onefix_watch_regions(onefix_client *client) {
  (void)snprintf(client->start, sizeof client->start, "SUB region/+ regions");
  return begin(client);
}

int onefix_next_region_event(onefix_client *client, uint32_t milliseconds, onefix_region_event *event) {
  char *line;
  const int result = next(client, "region/", milliseconds, &line);
  if (result == ONEFIX_OK) {
    size_t length;
    const char *topic = word(line, 1, &length);
    copy(event->region, sizeof event->region, topic + 7, length - 7U);
    (void)onefix_member(strchr(line, '{'), "event", event->event, sizeof event->event);
  }
  return result;
}

int onefix_unwatch_regions(onefix_client *client) { return stop(client, "UNSUB regions"); }

int onefix_set_in_view(onefix_client *client, bool is_in_view) {
  return do_command(client, is_in_view ? "STATE foreground" : "STATE background", NULL);
}

#ifndef ONEFIX_NO_POSIX
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int dial(onefix_client *client, int family, const struct sockaddr *address, socklen_t length) {
  client->descriptor = socket(family, SOCK_STREAM, 0);
  if (client->descriptor < 0) { return ONEFIX_NO_GATEWAY; }
  (void)fcntl(client->descriptor, F_SETFD, FD_CLOEXEC);
  if (connect(client->descriptor, address, length) == 0) { return ONEFIX_OK; }
  (void)close(client->descriptor);
  return ONEFIX_NO_GATEWAY;
}

static int open_socket(void *context) {
  onefix_client *client = (onefix_client *)context;
  int result = ONEFIX_NO_GATEWAY;
  if (client->port[0] == '\0') {
    struct sockaddr_un address;
    (void)memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    (void)memcpy(address.sun_path, client->host, strlen(client->host));
    return dial(client, AF_UNIX, (const struct sockaddr *)&address, (socklen_t)sizeof address);
  }
  struct addrinfo hints, *found = NULL;
  (void)memset(&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(client->host, client->port, &hints, &found) != 0) { return ONEFIX_NO_GATEWAY; }
  for (const struct addrinfo *each = found; each != NULL && result != ONEFIX_OK; each = each->ai_next) {
    result = dial(client, each->ai_family, each->ai_addr, each->ai_addrlen);
  }
  freeaddrinfo(found);
  return result;
}

static void close_socket(void *context) { (void)close(((onefix_client *)context)->descriptor); }

static int read_socket(void *context, char *bytes, size_t capacity, uint32_t milliseconds) {
  struct pollfd ready = {((onefix_client *)context)->descriptor, POLLIN, 0};
  const int count = poll(&ready, 1, (int)milliseconds);
  if (count <= 0) { return count == 0 || errno == EINTR ? 0 : -1; }
  const ssize_t received = recv(ready.fd, bytes, capacity, 0);
  if (received < 0 && (errno == EINTR || errno == EAGAIN)) { return 0; }
  return received > 0 ? (int)received : -1;
}

static int write_socket(void *context, const char *bytes, size_t count) {
  while (count > 0U) {
    const ssize_t sent = send(((onefix_client *)context)->descriptor, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) { continue; }
    if (sent <= 0) { return -1; }
    bytes += sent;
    count -= (size_t)sent;
  }
  return 0;
}

static uint64_t monotonic(void *context) {
  struct timespec time;
  (void)context;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000U + (uint64_t)time.tv_nsec / 1000000U;
}

static void sleep_for(void *context, uint32_t milliseconds) {
  const struct timespec time = {(time_t)(milliseconds / 1000U), (long)(milliseconds % 1000U) * 1000000L};
  (void)context;
  (void)nanosleep(&time, NULL);
}

static int random_bytes(void *context, uint8_t *bytes, size_t count) {
  const int descriptor = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  ssize_t received;
  (void)context;
  if (descriptor < 0) { return -1; }
  received = read(descriptor, bytes, count);
  (void)close(descriptor);
  return received == (ssize_t)count ? 0 : -1;
}

static int connect_socket(onefix_client *client, const onefix_options *options) {
  const onefix_transport transport = {client,    open_socket, close_socket, read_socket, write_socket,
                                      monotonic, sleep_for,   random_bytes, NULL};
  return onefix_connect(client, &transport, options);
}

int onefix_connect_unix(onefix_client *client, const char *path, const char *app) {
  const onefix_options options = {app, NULL, NULL, false};
  client->is_open = false;
  if (strlen(path) >= sizeof client->host) { return ONEFIX_NO_GATEWAY; }
  copy(client->host, sizeof client->host, path, strlen(path));
  client->port[0] = '\0';
  return connect_socket(client, &options);
}

int onefix_connect_tcp(onefix_client *client, const char *host, uint16_t port, const char *app, const uint8_t key[32]) {
  const onefix_options options = {app, key, NULL, false};
  client->is_open = false;
  if (strlen(host) >= sizeof client->host) { return ONEFIX_NO_GATEWAY; }
  copy(client->host, sizeof client->host, host, strlen(host));
  (void)snprintf(client->port, sizeof client->port, "%u", (unsigned)port);
  return connect_socket(client, &options);
}
#endif
