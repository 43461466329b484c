// A TOML parser that returns the tree of keys and values as a list. Each key and value has its position in the text.
#ifndef ONEFIX_CTOML_H
#define ONEFIX_CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The maximum size of a text, in bytes.
#define ONEFIX_TOML_LARGEST (1024 * 1024)
// The maximum nesting depth of tables and arrays.
#define ONEFIX_TOML_DEEPEST 16
// The maximum number of dots in a line, because each dot of a key may nest a table.
#define ONEFIX_TOML_MOST_DOTS 128

enum onefix_toml_type {
  ONEFIX_TOML_TABLE,
  ONEFIX_TOML_ARRAY,
  ONEFIX_TOML_STRING,
  ONEFIX_TOML_INTEGER,
  ONEFIX_TOML_FLOAT,
  ONEFIX_TOML_BOOLEAN,
  // A date, a time, or both.
  ONEFIX_TOML_MOMENT,
};

// A position in the text. Lines and columns count from 1. Columns are code points. 0 means unknown.
struct onefix_toml_location {
  uint32_t line;
  uint32_t column;
};

// A key or value. Strings are UTF-8 without a terminating zero, and are valid as long as the document.
struct onefix_toml_node {
  enum onefix_toml_type type;
  // The index after the last descendant of this node. The nodes between this node and that index are its descendants.
  size_t end;
  // The key; null inside an array and for the root.
  const char *key;
  size_t key_length;
  struct onefix_toml_location key_location;
  struct onefix_toml_location location;
  const char *string;
  size_t string_length;
  int64_t integer;
  double number;
  bool boolean;
};

struct onefix_toml_document;

// Parses a text. Returns null only if there is no memory. The bytes are not used after the call.
struct onefix_toml_document *onefix_toml_parse(const char *bytes, size_t length);
void onefix_toml_free(struct onefix_toml_document *document);

// Returns the error as a zero-terminated string, and its position; null if the text is valid TOML. The string is valid
// as long as the document.
const char *onefix_toml_error(const struct onefix_toml_document *document, struct onefix_toml_location *location);

// Returns the number of nodes. The first node is the root, a table. Returns 0 if the text is not valid TOML.
size_t onefix_toml_count(const struct onefix_toml_document *document);
struct onefix_toml_node onefix_toml_node_at(const struct onefix_toml_document *document, size_t index);

#ifdef __cplusplus
}
#endif

#endif
