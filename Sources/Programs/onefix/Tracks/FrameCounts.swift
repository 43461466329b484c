package import Decoding

/// The counts of binary frames (UBX and RTCM 3) from a receiver, by type of message.
package struct FrameCounts: Sendable {
  private var ubx: [UBXIdentifier: Int] = [:]
  private var rtcm3: [Int: Int] = [:]
  /// The count of UBX frames with a valid checksum but invalid contents.
  package var unreadable = 0

  package init() {}

  package mutating func count(_ identifier: UBXIdentifier) {
    ubx[identifier, default: 0] += 1
  }

  package mutating func countRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    rtcm3[FrameCounts.message(payload, in: bytes) ?? 0, default: 0] += 1
  }

  /// Returns the message number of an RTCM 3 frame, from its first 12 bits; nil if the frame is shorter than two bytes
  /// (RTCM 10403.3, table 3.5-1).
  static func message(_ payload: Range<Int>, in bytes: Span<UInt8>) -> Int? {
    guard payload.count >= 2 else { return nil }
    return Int(bytes[payload.lowerBound]) << 4 | Int(bytes[payload.lowerBound + 1]) >> 4
  }

  /// The counts of UBX frames, each with the name of the message. The order is that of the class and the id.
  var messages: [(name: String, count: Int)] {
    ubx.sorted { ($0.key.messageClass, $0.key.id) < ($1.key.messageClass, $1.key.id) }.map {
      ($0.key.description, $0.value)
    }
  }

  /// The counts of RTCM 3 frames, each with the message number as text. The order is that of the numbers. The number 0
  /// stands for frames without a number.
  var corrections: [(name: String, count: Int)] {
    rtcm3.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }
  }
}
