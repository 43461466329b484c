// Functions in place of SQLite's macros and variadic functions, which Swift cannot call.
#ifndef ONEFIX_CSQLITE_H
#define ONEFIX_CSQLITE_H

#include <sqlite3.h>

// Both functions copy the bytes before they return. `SQLITE_TRANSIENT` is a cast, which Swift does not import.
static inline int onefix_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int length) {
  return sqlite3_bind_text(statement, index, bytes, length, SQLITE_TRANSIENT);
}

static inline int onefix_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
  return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

// Sets whether closing the last connection writes the WAL back into the database file.
static inline int onefix_sqlite_set_checkpoint_on_close(sqlite3 *database, int checkpoints) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !checkpoints, (int *)0);
}

#endif
