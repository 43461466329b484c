package import Base
import Decoding
import Hardware

/// A search for the speed at which a receiver sends.
///
/// At a wrong speed the bytes are noise, and a few invalid bytes exclude the speed. Two sentences or one binary frame
/// with correct checksums confirm a speed. One sentence could be correct by chance. If bytes arrive for some seconds
/// without a frame after a speed was confirmed, the search continues with the next speed. A binary frame whose
/// beginning was missed also looks like noise. So after three rounds through all speeds, only a burst that was received
/// from its beginning excludes a speed.
///
/// The type is a pure value: the caller passes bytes and times, and receives the next step.
package struct BaudSearch: Sendable {
  package enum Step: Hashable, Sendable {
    /// The caller must wait for more bytes, because the current speed is not confirmed yet.
    case wait
    /// The current speed is confirmed for all bytes since the latest change of the speed.
    case confirmed
    /// The caller must set the port to the speed `to`.
    case change(to: Int)
  }

  /// The number of sentences that confirm a speed. A binary frame counts as two sentences.
  private static let confirmingFrames = 2
  private static let excludingBytes = 12
  /// The number of rounds through all speeds in which even a burst whose beginning was missed can exclude a speed. In
  /// these rounds, the search is fast for receivers that send sentences.
  private static let hastyRounds = 3
  /// The minimum pause between two bursts. A burst is data that a receiver sends without a pause.
  private static let gap: Duration = .milliseconds(100)
  /// The maximum wait for the next byte at one speed. The wait is longer than one second, the usual time between two
  /// bursts of a receiver.
  private static let quietTimeout: Duration = .milliseconds(1300)
  /// The maximum time at one speed while text arrives without a complete frame.
  private static let longestTextTime: Duration = .seconds(4)
  /// The time after which a confirmed speed becomes invalid if bytes arrive without a frame.
  private static let confirmationTimeout: Duration = .seconds(5)

  /// The current speed in bits per second.
  package private(set) var speed: Int
  package private(set) var isConfirmed = false
  private let requiresChecksum: Bool
  private var scanner = FrameScanner()
  private var frames = 0
  private var invalidBytes = 0
  /// The number of speed changes since the search began.
  private var changes = 0
  /// Whether the search received the beginning of the current burst.
  private var isWholeBurst = false
  /// The times of the change to the current speed (`began`), of the latest byte at this speed (`lastByte`; nil before
  /// the first byte) and of the latest frame (`lastFrame`).
  private var began: MonotonicInstant
  private var lastByte: MonotonicInstant?
  private var lastFrame: MonotonicInstant

  /// Creates a search that first tries the given speed. If `requiresChecksum` is true, the search ignores sentences
  /// without a checksum.
  package init(
    from speed: Int = SerialSpeed.likeliestFirst[0], requiresChecksum: Bool = true, at now: MonotonicInstant
  ) {
    self.speed = speed
    self.requiresChecksum = requiresChecksum
    began = now
    lastFrame = now
  }

  /// Processes received bytes, and returns the next step for the caller. Until the speed is confirmed, the caller must
  /// call this function about every 50 ms, with an empty array if no bytes have arrived.
  package mutating func update(with bytes: [UInt8], at now: MonotonicInstant) -> Step {
    if !bytes.isEmpty { examine(bytes, now) }
    if frames >= Self.confirmingFrames {
      isConfirmed = true
      invalidBytes = 0
    }
    if isConfirmed {
      return bytes.isEmpty || now - lastFrame < Self.confirmationTimeout ? .confirmed : tryNext(at: now)
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
    lastByte = now
    for byte in bytes where !(0x20...0x7E).contains(byte) && byte != 0x0D && byte != 0x0A { invalidBytes += 1 }
    var position = 0
    while let frame = scanner.next(in: bytes.span, from: &position) {
      switch frame.kind {
      case .sentence(let computed, let received)
      where received == computed || (received == nil && !requiresChecksum && hasAddress(frame, in: bytes)):
        frames += 1
        lastFrame = now
      case .ubx, .rtcm3:
        // The bytes that looked invalid were the payload of this binary frame.
        frames += Self.confirmingFrames
        lastFrame = now
      case .sentence, .rejected:
        break
      }
    }
  }

  /// Returns whether a sentence begins with five letters and a comma, which is very unlikely at a wrong speed.
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
    lastFrame = now
    return .change(to: speed)
  }
}
