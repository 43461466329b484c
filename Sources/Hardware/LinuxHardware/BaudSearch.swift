package import Base
import Decoding
import Hardware

/// A search for the speed in bits per second at which a receiver sends.
///
/// At a wrong speed, the bytes are noise, so a few invalid bytes exclude the speed. Two NMEA sentences or one binary
/// frame with correct checksums confirm the speed. (A single sentence could be correct by chance.) If no frame arrives
/// at a confirmed speed for some seconds, the search continues.
///
/// The middle of a binary frame also looks like noise. So after three rounds through all speeds, only a complete burst
/// (data without a pause) excludes a speed.
///
/// The search has no clock: the caller passes bytes and times, and receives the next step.
package struct BaudSearch: Sendable {
  package enum Step: Hashable, Sendable {
    /// The caller must keep the present speed and wait for more bytes. The speed is not confirmed yet.
    case wait
    /// The caller must keep the present speed. The received data confirms the speed.
    case confirmed
    /// The caller must change the port to another speed, in bits per second.
    case change(to: Int)
  }

  /// The count of valid NMEA sentences that confirm a speed. A binary frame counts as two sentences.
  private static let confirmingFrames = 2
  private static let excludingBytes = 12
  /// The count of fast rounds through all speeds. In a fast round, a burst (data without a pause) can exclude a speed
  /// even if the search missed its beginning.
  private static let hastyRounds = 3
  /// The minimum pause between two bursts. A burst is data that a receiver sends without a pause.
  private static let gap: Duration = .milliseconds(100)
  /// The maximum wait for the next byte at one speed. Receivers usually pause for less than one second.
  private static let quietTimeout: Duration = .milliseconds(1300)
  /// The maximum time at one speed while the received data does not confirm the speed.
  private static let longestTextTime: Duration = .seconds(4)
  /// The time after which a confirmed speed becomes unconfirmed, if bytes arrive without a complete NMEA sentence or
  /// binary frame. A silence of the receiver does not count.
  private static let confirmationTimeout: Duration = .seconds(5)

  /// The present speed in bits per second.
  package private(set) var speed: Int
  package private(set) var isConfirmed = false
  private let requiresChecksum: Bool
  private var scanner = FrameScanner()
  private var frames = 0
  private var invalidBytes = 0
  /// The count of speed changes since the search began.
  private var changes = 0
  /// Whether the search has received the present burst from its beginning. A burst is data that a receiver sends
  /// without a pause.
  private var isWholeBurst = false
  /// The instant at which the present speed was set.
  private var began: MonotonicInstant
  private var lastByte: MonotonicInstant?
  /// The arrival time of the first bytes after the latest valid frame, or later: of a longer silence since then, only
  /// `quietTimeout` counts. The value is nil directly after a valid frame.
  private var unframed: MonotonicInstant?

  /// Creates a search for the speed of a receiver.
  /// - Parameters:
  ///   - speed: The first speed to try, in bits per second.
  ///   - requiresChecksum: Whether the search ignores NMEA sentences without a checksum.
  package init(
    from speed: Int = SerialSpeed.likeliestFirst[0], requiresChecksum: Bool = true, at now: MonotonicInstant
  ) {
    self.speed = speed
    self.requiresChecksum = requiresChecksum
    began = now
  }

  /// Examines received bytes, and returns the next step for the caller. Until the speed is confirmed, the caller must
  /// call the function every 50 ms, also without bytes.
  package mutating func update(with bytes: [UInt8], at now: MonotonicInstant) -> Step {
    if !bytes.isEmpty { examine(bytes, now) }
    if frames >= Self.confirmingFrames {
      isConfirmed = true
      invalidBytes = 0
      changes = 0
    }
    if isConfirmed {
      guard !bytes.isEmpty, let unframed, now - unframed >= Self.confirmationTimeout else { return .confirmed }
      return tryNext(at: now)
    }
    let mayExclude = isWholeBurst || changes < Self.hastyRounds * SerialSpeed.likeliestFirst.count
    if mayExclude && invalidBytes >= Self.excludingBytes && !scanner.isInsideFrame { return tryNext(at: now) }
    if now - began >= Self.longestTextTime { return tryNext(at: now) }
    guard let lastByte else { return now - began < Self.quietTimeout ? .wait : tryNext(at: now) }
    let silence = now - lastByte
    // Invalid bytes in the burst mean a wrong speed. Text without a complete sentence may be the end of a burst that
    // began before the change of the speed. In that case the search waits for the next burst.
    if mayExclude && invalidBytes > 0 && frames == 0 && silence >= Self.gap { return tryNext(at: now) }
    return silence < Self.quietTimeout ? .wait : tryNext(at: now)
  }

  private mutating func examine(_ bytes: [UInt8], _ now: MonotonicInstant) {
    if !isWholeBurst, now - (lastByte ?? began) >= Self.gap {
      isWholeBurst = true
      invalidBytes = 0
      scanner = FrameScanner()
    }
    let silence = now - (lastByte ?? now)
    unframed = unframed.map { $0 + max(.zero, silence - Self.quietTimeout) } ?? now
    lastByte = now
    for byte in bytes where !(0x20...0x7E).contains(byte) && byte != 0x0D && byte != 0x0A { invalidBytes += 1 }
    var position = 0
    while let frame = scanner.next(in: bytes.span, from: &position) {
      switch frame.kind {
      case .sentence(let computed, let received)
      where received == computed || (received == nil && !requiresChecksum && hasAddress(frame, in: bytes)):
        frames += 1
        unframed = nil
      case .ubx, .rtcm3:
        // The bytes that looked invalid were the payload of this binary frame.
        frames += Self.confirmingFrames
        unframed = nil
      case .sentence, .rejected:
        break
      }
    }
  }

  /// Returns whether an NMEA sentence begins with five letters and a comma, which is very unlikely at a wrong speed.
  private func hasAddress(_ frame: Frame, in bytes: [UInt8]) -> Bool {
    frame.isBuffered
      ? BaudSearch.hasAddress(frame.content, in: scanner.buffered)
      : BaudSearch.hasAddress(frame.content, in: bytes.span)
  }

  private static func hasAddress(_ content: Range<Int>, in bytes: Span<UInt8>) -> Bool {
    guard content.count > 5, bytes[content.lowerBound + 5] == UInt8(ascii: ",") else { return false }
    for index in content.prefix(5) where !(0x41...0x5A).contains(bytes[index]) { return false }
    return true
  }

  private mutating func tryNext(at now: MonotonicInstant) -> Step {
    let speeds = SerialSpeed.likeliestFirst
    let index = (speeds.firstIndex(of: speed) ?? -1) + 1
    speed = speeds[index % speeds.count]
    changes += 1
    isWholeBurst = false
    isConfirmed = false
    scanner = FrameScanner()
    frames = 0
    invalidBytes = 0
    began = now
    lastByte = nil
    unframed = nil
    return .change(to: speed)
  }
}
