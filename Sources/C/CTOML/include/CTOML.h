// Reads TOML and gives its tree as a flat list, each key and value with its place in the text.
#ifndef ONEFIX_CTOML_H
#define ONEFIX_CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A text larger than this, in bytes, is refused.
#define ONEFIX_TOML_LARGEST (1024 * 1024)
// So are tables and arrays that lie deeper in one another than this.
#define ONEFIX_TOML_DEEPEST 16
// So are lines with more dots than this: each dot of a key may nest a table.
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

// Lines and columns count from 1, columns in code points; 0 is unknown.
struct onefix_toml_place {
  uint32_t line;
  uint32_t column;
};

// Texts are UTF-8, not ended by zero, and live as long as the document.
struct onefix_toml_node {
  enum onefix_toml_type type;
  // The index after this node and all that lies in it: its children are the nodes in between, in order.
  size_t end;
  // Null inside an array, and for the root.
  const char *key;
  size_t key_length;
  struct onefix_toml_place key_place;
  struct onefix_toml_place place;
  const char *string;
  size_t string_length;
  int64_t integer;
  double number;
  bool boolean;
};

struct onefix_toml_document;

// Null only where there is no memory. The bytes need not outlive the call.
struct onefix_toml_document *onefix_toml_parse(const char *bytes, size_t length);
void onefix_toml_free(struct onefix_toml_document *document);

// What is wrong, ended by zero, and where; null where the text is TOML. It lives as long as the document.
const char *onefix_toml_error(const struct onefix_toml_document *document, struct onefix_toml_place *place);

// The number of nodes; the first is the root, a table. Zero where the text is not TOML.
size_t onefix_toml_count(const struct onefix_toml_document *document);
struct onefix_toml_node onefix_toml_node_at(const struct onefix_toml_document *document, size_t index);

#ifdef __cplusplus
}
#endif

#endif
