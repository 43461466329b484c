#include "check.h"
#include "shim.h"

#include <string.h>

/* Bound values are copied: the bytes may be freed before the statement runs. */
static void check_binding(sqlite3 *database, const char *bytes, int count) {
  sqlite3_stmt *statement;
  expect_equal(sqlite3_prepare_v2(database, "SELECT ?1, ?2", -1, &statement, NULL), SQLITE_OK);
  char *copy = malloc(count > 0 ? (size_t)count : 1);
  expect(copy);
  memcpy(copy, bytes, (size_t)count);
  expect_equal(onefix_sqlite_bind_text(statement, 1, copy, count), SQLITE_OK);
  expect_equal(onefix_sqlite_bind_blob(statement, 2, copy, count), SQLITE_OK);
  expect_equal(onefix_sqlite_bind_blob(statement, 3, copy, count), SQLITE_RANGE);
  free(copy);
  expect_equal(sqlite3_step(statement), SQLITE_ROW);
  for (int column = 0; column < 2; column++) {
    expect_equal(sqlite3_column_bytes(statement, column), count);
    if (count > 0) expect_equal(memcmp(sqlite3_column_blob(statement, column), bytes, (size_t)count), 0);
  }
  expect_equal(sqlite3_finalize(statement), SQLITE_OK);
}

void check_sqlite(void) {
  sqlite3 *database;
  expect_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
  check_binding(database, "", 0);
  check_binding(database, "f\0rry", 5);
  check_binding(database, "ferry", 1);
  expect_equal(onefix_sqlite_set_checkpoint_on_close(database, 0), SQLITE_OK);
  int is_off = -1;
  expect_equal(sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, -1, &is_off), SQLITE_OK);
  expect_equal(is_off, 1);
  expect_equal(onefix_sqlite_set_checkpoint_on_close(database, 1), SQLITE_OK);
  expect_equal(sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, -1, &is_off), SQLITE_OK);
  expect_equal(is_off, 0);
  expect_equal(sqlite3_close(database), SQLITE_OK);
}
