import Glibc
import LineProtocol
import OperatingSystem

/// A file to which the daemon adds one point at each press of the button. Each write replaces the whole file, so that
/// the file is always complete, even after a power cut.
struct PointFile: Hashable, Sendable {
  /// The maximum size of the file in bytes, enough for about 34,000 points. A larger file would make each write too
  /// slow, because each write replaces the whole file.
  static let maximumSize = 16_777_216

  let path: String
  let format: PointFormat
  /// The permission bits of the file, as in `0o640`.
  let mode: UInt32

  /// Appends a point, and returns after the file is on the disk.
  ///
  /// If the file already ends with the same point, nothing is written. Such a point is from before a power cut, when
  /// the gateway could not record the success of the write.
  func append(_ point: PointFormat.Point) throws(OutputError) {
    let points = try points()
    if let last = points.last, last.starts(with: point.head), last.hasSuffix(point.tail) { return }
    var bytes = Array(format.header.utf8)
    bytes.reserveCapacity(points.bytes.count + point.head.count + point.tail.count + 512)
    bytes += points.bytes
    if points.count > 0 { bytes += format.separator.utf8 }
    bytes += point.head
    bytes += Self.name(points.count + 1).utf8
    bytes += point.tail
    bytes += format.footer.utf8
    guard bytes.count <= Self.maximumSize else { throw error(.fileTooLong) }
    do throws(SystemFailure) {
      try AtomicFile(path: path).write(bytes, mode: mode, isDurable: true)
    } catch {
      throw failure(error.number)
    }
  }

  /// Checks whether a point could be written now, without a change of the file.
  /// - Throws: `OutputError` if a write would fail.
  func rehearse() throws(OutputError) {
    let points = try points()
    // A point has less than 4096 bytes.
    let bytes = Array(points.bytes) + [UInt8](repeating: 0x20, count: 4096)
    guard bytes.count <= Self.maximumSize else { throw error(.fileTooLong) }
    do throws(SystemFailure) {
      try AtomicFile(path: path).rehearse(bytes)
    } catch {
      throw failure(error.number)
    }
  }

  private static func name(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  private func error(_ fault: OutputFault) -> OutputError { OutputError("write", path, fault) }

  private func failure(_ number: Int32) -> OutputError {
    switch number {
    case ENOENT: error(.noFolder)
    case ENOTDIR: error(.notFolder)
    case EACCES, EPERM, EROFS: OutputError("write", path, .noPermission, detail: systemErrorText(number))
    case ENOSPC, EDQUOT: error(.diskFull)
    case ELOOP: error(.link)
    default: OutputError("write", path, .writeFailed, detail: systemErrorText(number))
    }
  }

  // MARK: The existing file

  private struct Points {
    /// The bytes of all points, without the header and the footer of the file.
    var bytes: ArraySlice<UInt8> = []
    let separator: String

    /// The count of points, from the line ends between points.
    var count: Int { bytes.isEmpty ? 0 : bytes.count { $0 == 0x0A } + 1 }

    var last: ArraySlice<UInt8>? {
      bytes.isEmpty ? nil : bytes[(bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? bytes.startIndex)...]
    }
  }

  /// Reads the existing points of the file; empty if the file does not exist.
  /// - Throws: `OutputError` if the file has other contents, for example if an editor has deleted or inserted a line.
  private func points() throws(OutputError) -> Points {
    var points = Points(separator: format.separator)
    guard let bytes = try content() else { return points }
    let (header, footer) = (Array(format.header.utf8), Array(format.footer.utf8))
    guard bytes.count > header.count + footer.count, bytes.starts(with: header), bytes[...].hasSuffix(footer) else {
      throw error(.otherContent)
    }
    points.bytes = bytes[header.count..<(bytes.count - footer.count)]
    // With another name of the last point, the next point could get the name of an existing point.
    guard let last = points.last, format.isPoint(last, named: Self.name(points.count)) else {
      throw error(.otherContent)
    }
    return points
  }

  /// Returns the content of the file; nil if the file does not exist or is empty.
  ///
  /// The function follows no symbolic link, and reads only a file of the user of the daemon. Otherwise another user
  /// could choose the content, or the file that is overwritten.
  private func content() throws(OutputError) -> [UInt8]? {
    let isRegular, isOwn: Bool
    let bytes: [UInt8]
    do throws(SystemFailure) {
      let file = try OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      let status = try file.status()
      (isRegular, isOwn) = (status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid())
      bytes = isRegular && isOwn ? try file.read(atMost: Self.maximumSize + 1) : []
    } catch {
      if error.number == ENOENT { return nil }
      var status = stat()
      // A file of another user may be closed to the user of the daemon.
      if error.number == EACCES, unsafe lstat(path, &status) == 0, status.st_uid != geteuid() {
        throw self.error(.otherOwner)
      }
      throw failure(error.number)
    }
    guard isRegular else { throw error(.noFile) }
    guard isOwn else { throw error(.otherOwner) }
    guard bytes.count <= Self.maximumSize else { throw error(.fileTooLong) }
    // An empty file, as `touch` creates, has no points.
    return bytes.isEmpty ? nil : bytes
  }
}

extension ArraySlice<UInt8> {
  fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool {
    count >= suffix.count && self.suffix(suffix.count) == suffix[...]
  }
}
