import Glibc
import LineProtocol
import OperatingSystem

/// A file with a password or a token in its first text line.
package enum SecretFile {
  /// The length in bytes from which a file is too long to contain a secret.
  private static let longest = 1024
  /// The byte order mark in UTF-8, which some editors write at the beginning of a file.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Reads the password or token in the first text line of a file, without a byte order mark.
  /// - Throws: `OutputError` if the file cannot be read, or if the first line is empty or too long.
  package static func read(_ path: String) throws(OutputError) -> String {
    let text: [UInt8]
    do throws(SystemFailure) {
      text = try OpenFile(path, O_RDONLY | O_NONBLOCK).read(atMost: longest + mark.count)
    } catch {
      throw OutputError("read the secret in", path, .file, detail: systemErrorText(error.number))
    }
    let line = text.dropFirst(text.starts(with: mark) ? mark.count : 0)
      .prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard line.count < longest, !line.isEmpty, !line.contains(0) else {
      throw OutputError("use the secret in", path, .file, detail: "the first line must have 1...\(longest - 1) bytes")
    }
    return String(decoding: line, as: UTF8.self)
  }
}
