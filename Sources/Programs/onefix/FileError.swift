import Glibc
import OperatingSystem

/// The error that a file cannot be read or written, or has no usable data. The message can contain a remedy.
struct FileError: Error, Equatable, CustomStringConvertible {
  enum Cause: Equatable {
    /// An error of the operating system, as an `errno` value.
    case system(Int32)
    /// The file is compressed. The values are the name of the format and the remedy.
    case compressed(String, remedy: String)
    case empty
    case noFrame(bytes: Int)
    /// The NMEA sentences have correct checksums, but invalid fields. The value `most` names the most frequent error.
    case rejected(sentences: Int, most: String)
    case noFix(epochs: Int)
    /// The CSV file has no columns for coordinates.
    case noColumns
  }

  var operation: String
  var name: String
  var cause: Cause

  init(_ operation: String, _ name: String, _ cause: Cause) {
    self.operation = operation
    self.name = name
    self.cause = cause
  }

  init(_ operation: String, _ name: String, _ number: Int32) {
    self.init(operation, name, .system(number))
  }

  var description: String {
    let (reason, remedy) = words
    return "cannot \(operation) \(name): \(reason)\(remedy.map { " (\($0))" } ?? "")"
  }

  /// The exit status of the program: `EX_DATAERR` (65), `EX_NOINPUT` (66) or `EX_IOERR` (74). A file without a fix has
  /// the exit status of `onefix request` without a fix.
  var status: Int32 {
    switch cause {
    case .system: isWrite ? 74 : 66
    case .compressed, .empty, .noFrame, .rejected, .noColumns: 65
    case .noFix: ExitStatus.noFix
    }
  }

  private var isWrite: Bool { operation == "write" }

  /// The cause and the remedy in words; the remedy is nil if none is known.
  private var words: (reason: String, remedy: String?) {
    switch cause {
    case .system(ENOSPC): ("no space left on the device", "free some space")
    case .system(let number):
      (systemErrorText(number), (isWrite ? Self.remediesOfWrites : Self.remediesOfReads)[number])
    case .compressed(let format, let remedy): ("it is compressed with \(format)", remedy)
    case .empty: ("the file is empty", nil)
    case .noFrame(let bytes):
      (
        "no sentence and no frame with a correct checksum in \(bytes) bytes",
        "it must be NMEA 0183, UBX or RTCM 3, recorded at the right speed; onefix decode has --stats, and --no-checksum for "
          + "NMEA without checksums"
      )
    case .rejected(let sentences, let most):
      (
        (sentences == 1 ? "1 sentence has a correct checksum" : "\(sentences) sentences have correct checksums")
          + ", and a time, position or status that cannot be read, most often " + most,
        "the receiver writes another format: --stats lists the fields"
      )
    case .noColumns: ("no columns lat and lon in its first line", "a recording must not have the extension .csv")
    case .noFix(0): ("no message contains a position", "--stats lists its contents")
    case .noFix(let epochs): ("\(epochs) epochs, none with a position", "--stats lists its contents")
    }
  }

  /// The remedies for errors of write operations. The key is the `errno` value.
  private static let remediesOfWrites: [Int32: String] = [
    ENOENT: "create its folder", EISDIR: "add the name of a file", EBUSY: "another program uses it",
    EACCES: "check the permissions of the file and its folder",
    EPERM: "check the permissions of the file and its folder",
  ]
  private static let remediesOfReads: [Int32: String] = [
    ENOENT: "check the path; - reads standard input", EISDIR: "use one of its files", EBUSY: "another program uses it",
    EACCES: "check the file's permissions; for a serial port, the group is often dialout",
    EPERM: "check the file's permissions; for a serial port, the group is often dialout",
  ]
}
