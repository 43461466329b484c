/// An error in a gzip file. The data before the error is valid.
package enum GzipError: Error, Hashable, Sendable {
  /// The compressed data is incomplete: the file was truncated, or another program is still writing it.
  case truncated
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
