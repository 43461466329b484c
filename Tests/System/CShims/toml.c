#include "CTOML.h"
#include "check.h"

#include <string.h>

static const char sample[] =
    "\xEF\xBB\xBF# A comment.\n"
    "gateway = \"sch\xC3\xB6n\\u00e9\"\nlevel = 0x7FFF\nratio = 6.25e-3\nempty = []\nday = 2026-11-21T07:31:34.5Z\n"
    "on = true\nlines = [1, [2, 'three'], { four = 4 }]\n[receiver.uart]\npath = '''\n/dev/x'''\n"
    "[[button]]\nname = \"main\"\n[[button]]\nname = \"other\"\n";

/* Checks that all reported ranges are inside the text, for any text. Returns the number of nodes, or 0 for an
   invalid text. */
static size_t walk(const char *bytes, size_t length) {
  /* The parser must not read beyond the end of this buffer. */
  char *copy = malloc(length > 0 ? length : 1);
  expect(copy);
  memcpy(copy, bytes, length);
  struct onefix_toml_document *document = onefix_toml_parse(length > 0 ? copy : NULL, length);
  free(copy);
  expect(document);
  struct onefix_toml_location location = {0, 0};
  const char *error = onefix_toml_error(document, &location);
  size_t count = onefix_toml_count(document);
  expect((error == NULL) == (count > 0));
  if (error) expect(strlen(error) > 0);
  size_t texts = 0;
  for (size_t i = 0; i < count; i++) {
    struct onefix_toml_node node = onefix_toml_node_at(document, i);
    expect(node.end > i && node.end <= count);
    if (node.type != ONEFIX_TOML_TABLE && node.type != ONEFIX_TOML_ARRAY) expect_equal(node.end, i + 1);
    /* Each byte is readable. */
    for (size_t at = 0; at < node.key_length; at++) texts += (unsigned char)node.key[at];
    for (size_t at = 0; at < node.string_length; at++) texts += (unsigned char)node.string[at];
  }
  expect(texts < (size_t)256 * 4 * (length + 16));
  onefix_toml_free(document);
  return count;
}

/* Checks a text of `begin`, repeated a number of times. */
static size_t walk_repeated(const char *begin, size_t times) {
  size_t length = strlen(begin) * times;
  char *text = malloc(length + 1);
  expect(text);
  text[0] = 0;
  for (size_t i = 0; i < times; i++) memcpy(text + i * strlen(begin), begin, strlen(begin));
  size_t count = walk(text, length);
  free(text);
  return count;
}

void check_toml(void) {
  expect_equal(walk("", 0), 1);
  size_t length = sizeof sample - 1;
  expect(walk(sample, length) > 20);
  for (size_t end = 0; end < length; end++) walk(sample, end);
  for (size_t at = 0; at < length; at++) {
    for (int bit = 0; bit < 8; bit++) {
      char text[sizeof sample];
      memcpy(text, sample, length);
      text[at] = (char)((unsigned char)text[at] ^ 1u << bit);
      walk(text, length);
    }
  }
  expect_equal(walk_repeated("[", 100000), 0);
  expect_equal(walk_repeated("a=[", 100000), 0);
  expect_equal(walk_repeated("a={a=", 100000), 0);
  expect_equal(walk_repeated("a.", 100000), 0);
  expect_equal(walk_repeated("\n", ONEFIX_TOML_LARGEST), 1);
  expect_equal(walk_repeated("\n", ONEFIX_TOML_LARGEST + 1), 0);
  onefix_toml_free(NULL);
}
