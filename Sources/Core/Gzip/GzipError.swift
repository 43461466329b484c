/// An error of a gzip file. The data before the error was valid.
package enum GzipError: Error, Hashable, Sendable {
  /// The file ends inside a member: it is truncated, or still being written.
  case truncated
  /// The data, the length or the checksum is not valid gzip.
  case damaged
  case noMemory
}

extension GzipError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated: "the compressed data is truncated"
    case .damaged: "the compressed data is damaged"
    case .noMemory: "there is not enough memory to decompress it"
    }
  }
}
