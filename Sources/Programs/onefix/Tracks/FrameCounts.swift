package import UBX

/// How many binary frames of each message there were.
package struct FrameCounts: Sendable {
  private var ubx: [UBXIdentifier: Int] = [:]
  private var rtcm3: [Int: Int] = [:]
  /// UBX frames whose checksum is right and whose contents are not what their message has.
  package var unreadable = 0

  package init() {}

  package mutating func count(_ identifier: UBXIdentifier) {
    ubx[identifier, default: 0] += 1
  }

  package mutating func countRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    rtcm3[FrameCounts.message(payload, in: bytes) ?? 0, default: 0] += 1
  }

  /// A message's number is in its first 12 bits; nil in an empty frame. (RTCM 10403.3, table 3.5-1)
  static func message(_ payload: Range<Int>, in bytes: Span<UInt8>) -> Int? {
    guard payload.count >= 2 else { return nil }
    return Int(bytes[payload.lowerBound]) << 4 | Int(bytes[payload.lowerBound + 1]) >> 4
  }

  /// By class and id.
  var messages: [(name: String, count: Int)] {
    ubx.sorted { ($0.key.messageClass, $0.key.id) < ($1.key.messageClass, $1.key.id) }.map { ($0.key.name, $0.value) }
  }

  /// By number, 0 for frames without one.
  var corrections: [(name: String, count: Int)] {
    rtcm3.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }
  }
}
