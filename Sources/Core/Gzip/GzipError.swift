/// Why the bytes of a gzip'd file cannot be read on. What came before was right.
package enum GzipError: Error, Hashable, Sendable {
  /// The file ends inside a member: it was cut off, or is still being written.
  case endsTooEarly
  /// Data, length or checksum are not those of gzip.
  case damaged
  case noMemory
}

extension GzipError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .endsTooEarly: "it ends inside its compression"
    case .damaged: "its compression is damaged"
    case .noMemory: "there is no memory for it"
    }
  }
}
