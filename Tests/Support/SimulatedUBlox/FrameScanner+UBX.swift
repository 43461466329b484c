package import Decoding

extension FrameScanner {
  /// Returns the u-blox frames that the bytes complete.
  package mutating func frames(in bytes: [UInt8]) -> [(UBXIdentifier, [UInt8])] {
    var sentences = 0
    return frames(in: bytes, sentences: &sentences)
  }

  /// Returns the u-blox frames that the bytes complete, and counts the sentences between them.
  package mutating func frames(in bytes: [UInt8], sentences: inout Int) -> [(UBXIdentifier, [UInt8])] {
    var frames: [(UBXIdentifier, [UInt8])] = []
    var position = 0
    while let frame = next(in: bytes.span, from: &position) {
      if case .sentence = frame.kind { sentences += 1 }
      guard case .ubx(let messageClass, let id) = frame.kind else { continue }
      let payload = frame.isBuffered ? frame.content.map { buffered[$0] } : Array(bytes[frame.content])
      frames.append((UBXIdentifier(messageClass, id), payload))
    }
    return frames
  }
}
