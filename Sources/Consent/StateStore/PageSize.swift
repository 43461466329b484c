extension Schema {
  /// The page size of the database in bytes. A transaction writes whole pages. With pages of 4 KiB, a press of the
  /// button wrote 41 to 49 kB to the disk. With pages of 1 KiB, a press writes 16 to 18 kB. The record of an app does
  /// not fit into smaller pages.
  private static let pageSize = 1024
  /// The maximum size in bytes of an old database that is rewritten with the new page size. Rewriting a larger database
  /// would delay the start of the daemon.
  private static let mostRewritten = 16 << 20

  /// Sets the page size of a database to `pageSize`. After a power cut or an error, the database keeps its old page
  /// size.
  static func setPageSize(of database: SQLiteDatabase) throws(SQLiteFailure) {
    let size = try number(database, "PRAGMA page_size")
    let count = try number(database, "PRAGMA page_count")
    let used = count - (try number(database, "PRAGMA freelist_count"))
    guard size != pageSize, used * size <= mostRewritten else { return }
    try database.setPragma("page_size", to: pageSize)
    // A new database gets its pages with the first write.
    guard count != 0 else { return }
    // With a write-ahead log, SQLite cannot change the size. The copy is in memory, because the log has the times of
    // disclosures.
    try? database.execute(
      """
      PRAGMA temp_store = MEMORY;
      PRAGMA journal_mode = DELETE;
      VACUUM;
      """)
    try database.execute("PRAGMA temp_store = DEFAULT")
  }
}
