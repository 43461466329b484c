package import Decoding

/// The number of binary frames of each message type.
package struct FrameCounts: Sendable {
  private var ubx: [UBXIdentifier: Int] = [:]
  private var rtcm3: [Int: Int] = [:]
  /// The number of UBX frames with a valid checksum but invalid contents.
  package var unreadable = 0

  package init() {}

  package mutating func count(_ identifier: UBXIdentifier) {
    ubx[identifier, default: 0] += 1
  }

  package mutating func countRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    rtcm3[FrameCounts.message(payload, in: bytes) ?? 0, default: 0] += 1
  }

  /// Returns the message number of an RTCM 3 frame, from the first 12 bits. Returns nil if the frame is shorter than
  /// two bytes. (RTCM 10403.3, table 3.5-1)
  static func message(_ payload: Range<Int>, in bytes: Span<UInt8>) -> Int? {
    guard payload.count >= 2 else { return nil }
    return Int(bytes[payload.lowerBound]) << 4 | Int(bytes[payload.lowerBound + 1]) >> 4
  }

  /// The number of frames of each UBX message, sorted by class and id.
  var messages: [(name: String, count: Int)] {
    ubx.sorted { ($0.key.messageClass, $0.key.id) < ($1.key.messageClass, $1.key.id) }.map {
      ($0.key.description, $0.value)
    }
  }

  /// The number of frames of each RTCM 3 message, sorted by message number. Message 0 stands for frames without a
  /// number.
  var corrections: [(name: String, count: Int)] {
    rtcm3.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }
  }
}
