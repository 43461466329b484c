/// An error of a gzip file. The data before the error is valid.
package enum GzipError: Error, Hashable, Sendable {
  /// The file ends before its compressed data is complete: the file is truncated, or another program is still writing
  /// the file.
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
