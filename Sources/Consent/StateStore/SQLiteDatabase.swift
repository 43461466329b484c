internal import CSQLite
import Glibc
import OperatingSystem

struct SQLiteFailure: Error, Hashable {
  /// The extended result code of SQLite.
  let code: Int32
  let message: String
  /// The `errno` of the latest system call of the connection that failed; 0 if none failed. Only an I/O error or a file
  /// that cannot be opened sets the value, so an error of another kind can have the value of an earlier error.
  let systemError: Int32

  init(code: Int32, message: String, systemError: Int32 = 0) {
    self.code = code
    self.message = message
    self.systemError = systemError
  }

  /// Whether the disk is full. SQLite can report a full disk as a general I/O error, so the `errno` of the system call
  /// is also checked.
  var isFull: Bool {
    switch code & 0xFF {
    case SQLITE_FULL: true
    case SQLITE_IOERR: [ENOSPC, EDQUOT, EFBIG].contains(systemError)
    default: false
    }
  }

  var isReadOnly: Bool { [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF) && systemError == EROFS }

  /// Creates the error for a database row with contents that this program never writes.
  ///
  /// - Parameter what: The error message.
  init(unreadable what: String) {
    self.init(code: SQLITE_CORRUPT, message: what)
  }
}

/// A connection to a database file. SQLite closes the connection when this object and all its statements are
/// deinitialized.
@safe final class SQLiteDatabase {
  fileprivate let handle: OpaquePointer

  /// Opens an existing file. SQLite reads the file only for the first statement.
  init(_ path: String) throws(SQLiteFailure) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let result = unsafe sqlite3_open_v2(path, &handle, flags, FileObserver.present?.vfs)
    // SQLite returns a handle even after an error, unless there is not enough memory.
    guard let opened = unsafe handle else {
      throw SQLiteFailure(code: result, message: "out of memory")
    }
    guard result == SQLITE_OK else {
      let message = unsafe String(cString: sqlite3_errmsg(opened))
      _ = unsafe sqlite3_close_v2(opened)
      throw SQLiteFailure(code: result, message: message)
    }
    unsafe self.handle = opened
  }

  deinit {
    _ = unsafe sqlite3_close_v2(handle)
  }

  /// Sets whether SQLite writes the write-ahead log (WAL) back into the database file when the last connection closes.
  func setCheckpointOnClose(_ checkpoints: Bool) {
    _ = unsafe onefix_sqlite_set_checkpoint_on_close(handle, checkpoints ? 1 : 0)
  }

  /// Runs SQL statements without parameters. The type `StaticString` excludes external input.
  func execute(_ statements: StaticString) throws(SQLiteFailure) {
    try execute(text: "\(statements)")
  }

  /// Sets a pragma to a number. SQL cannot bind a parameter in a pragma, so the number is inserted in the text.
  func setPragma(_ name: StaticString, to value: Int) throws(SQLiteFailure) {
    try execute(text: "PRAGMA \(name) = \(value)")
  }

  private func execute(text: String) throws(SQLiteFailure) {
    try check(unsafe sqlite3_exec(handle, text, nil, nil, nil))
  }

  func prepare(_ statement: StaticString) throws(SQLiteFailure) -> SQLiteStatement {
    try SQLiteStatement(self, "\(statement)")
  }

  /// Runs the body in a transaction. When this function returns, all changes are durable. If this function throws, no
  /// change is saved.
  func transaction<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // After some errors, SQLite rolls the transaction back by itself.
      if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  var changes: Int { Int(unsafe sqlite3_changes(handle)) }

  fileprivate func check(_ result: Int32) throws(SQLiteFailure) {
    guard result != SQLITE_OK, result != SQLITE_ROW, result != SQLITE_DONE else { return }
    throw SQLiteFailure(
      code: result, message: unsafe String(cString: sqlite3_errmsg(handle)),
      systemError: unsafe sqlite3_system_errno(handle))
  }
}

/// A value of a parameter of an SQL statement, or of a column of a row.
enum SQLiteValue: Hashable {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

  static func integer(_ value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
  static func text(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
  static func boolean(_ value: Bool) -> SQLiteValue { .integer(value ? 1 : 0) }
}

@safe final class SQLiteStatement {
  private let database: SQLiteDatabase
  private let handle: OpaquePointer

  fileprivate init(_ database: SQLiteDatabase, _ text: String) throws(SQLiteFailure) {
    var handle: OpaquePointer?
    try database.check(
      unsafe sqlite3_prepare_v3(
        database.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil))
    guard let prepared = unsafe handle else {
      throw SQLiteFailure(code: SQLITE_MISUSE, message: "no statement in: \(text)")
    }
    self.database = database
    unsafe self.handle = prepared
  }

  deinit {
    _ = unsafe sqlite3_finalize(handle)
  }

  func run(_ values: SQLiteValue...) throws(SQLiteFailure) { try run(values) }

  func run(_ values: [SQLiteValue]) throws(SQLiteFailure) {
    _ = try rows(values) { (_: borrowing SQLiteRow) throws(SQLiteFailure) in }
  }

  /// Runs the statement with these parameters. Returns the results of `read` for all result rows.
  func rows<Element>(
    _ values: SQLiteValue..., read: (borrowing SQLiteRow) throws(SQLiteFailure) -> Element
  ) throws(SQLiteFailure) -> [Element] {
    try rows(values, read: read)
  }

  private func rows<Element>(
    _ values: [SQLiteValue], read: (borrowing SQLiteRow) throws(SQLiteFailure) -> Element
  ) throws(SQLiteFailure) -> [Element] {
    defer {
      _ = unsafe sqlite3_reset(handle)
      _ = unsafe sqlite3_clear_bindings(handle)
    }
    for (offset, value) in values.enumerated() { try bind(value, at: Int32(offset + 1)) }
    var elements: [Element] = []
    while true {
      let result = unsafe sqlite3_step(handle)
      try database.check(result)
      guard result == SQLITE_ROW else { return elements }
      elements.append(try read(unsafe SQLiteRow(handle)))
    }
  }

  private func bind(_ value: SQLiteValue, at index: Int32) throws(SQLiteFailure) {
    let result: Int32
    switch value {
    case .integer(let number):
      result = unsafe sqlite3_bind_int64(handle, index, number)
    case .text(var text):
      result = text.withUTF8 { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
          unsafe onefix_sqlite_bind_text(handle, index, characters.baseAddress, Int32(characters.count))
        }
      }
    case .blob(let bytes):
      result = unsafe bytes.withUnsafeBytes { buffer in
        unsafe onefix_sqlite_bind_blob(handle, index, buffer.baseAddress, Int32(buffer.count))
      }
    case .null:
      // A parameter without a value is NULL. `rows` removes the values of the run before.
      return
    }
    try database.check(result)
  }
}

/// The current row of a statement, which is valid only inside the `read` closure.
@safe struct SQLiteRow: ~Copyable {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  /// Returns the value of a column. A floating-point number, which this program never writes, is returned as a text.
  func value(_ column: Int32) -> SQLiteValue {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .text(text(column))
    }
  }

  func values(_ count: Int, from first: Int32 = 0) -> [SQLiteValue] {
    var values: [SQLiteValue] = []
    values.reserveCapacity(count)
    for column in 0..<Int32(count) { values.append(value(first + column)) }
    return values
  }

  /// Appends the values of columns as bytes for an authentication code, in the format of `canonical`. Unlike
  /// `canonical`, this function creates no array of values, because a log can have a million entries.
  func appendCanonical(_ count: Int, from first: Int32, to bytes: inout [UInt8]) {
    for column in 0..<count {
      let index = first + Int32(column)
      let type = unsafe sqlite3_column_type(handle, index)
      switch type {
      case SQLITE_NULL: continue
      case SQLITE_INTEGER: bytes.appendCanonical(column, integer(index))
      default:
        unsafe withBytes(index) { content in unsafe bytes.appendCanonical(column, isText: type != SQLITE_BLOB, content)
        }
      }
    }
  }

  func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  func boolean(_ column: Int32) -> Bool { integer(column) != 0 }

  func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

  func blob(_ column: Int32) -> [UInt8] { unsafe withBytes(column) { unsafe [UInt8]($0) } }

  private func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    // SQLite requires that the pointer is read before the length. The pointer is valid until the next step of the
    // statement.
    let base = unsafe sqlite3_column_blob(handle, column)
    return unsafe body(
      UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : Int(sqlite3_column_bytes(handle, column))))
  }
}
