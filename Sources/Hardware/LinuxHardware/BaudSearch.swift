package import Clocks
import Framing
import Hardware

/// A search for the speed at which a receiver sends. The search is based on valid frames.
///
/// At a wrong speed the bytes are noise. A few invalid bytes exclude a speed long before the receiver's burst of data
/// ends. A speed is confirmed by two sentences or one binary frame with correct checksums, because a single sentence
/// could be correct by chance. If bytes then arrive without a frame for some seconds, the search starts again. The type
/// is a pure value: the caller passes bytes and times, and receives the next step.
package struct BaudSearch: Sendable {
  package enum Step: Hashable, Sendable {
    /// The search continues at the current speed. This speed is not confirmed yet.
    case wait
    /// The current speed is confirmed. All bytes since the last change of the speed had this speed.
    case confirmed
    /// The caller must change the port to another speed.
    case change(to: Int)
  }

  /// The number of sentences that confirm a speed. A binary frame counts as two sentences.
  private static let confirmingFrames = 2
  /// The number of invalid bytes that exclude a speed.
  private static let excludingBytes = 12
  /// The duration of silence that ends a burst. A burst is the data that a receiver sends without a pause.
  private static let gap: Duration = .milliseconds(100)
  /// The maximum time that the search waits at one speed for the next byte. This time is longer than one second, the
  /// usual period of receivers.
  private static let quietTimeout: Duration = .milliseconds(1300)
  /// The maximum time that the search stays at one speed while text arrives, but no complete frame.
  private static let longestTextTime: Duration = .seconds(4)
  /// The maximum time for which a confirmed speed stays valid while bytes arrive without a frame.
  private static let confirmationTimeout: Duration = .seconds(5)

  /// The current speed in bits per second.
  package private(set) var speed: Int
  package private(set) var isConfirmed = false
  private let requiresChecksum: Bool
  private var scanner = FrameScanner()
  private var frames = 0
  private var invalidBytes = 0
  /// The time at which the search changed to the current speed. `lastByte` and `lastFrame` are the arrival times of the
  /// last byte and of the last frame.
  private var began: MonotonicInstant
  private var lastByte: MonotonicInstant?
  private var lastFrame: MonotonicInstant

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - speed: The speed to try first, in bits per second.
  ///   - requiresChecksum: Whether the search ignores sentences without a checksum.
  ///   - now: The current time.
  package init(
    from speed: Int = SerialSpeed.likeliestFirst[0], requiresChecksum: Bool = true, at now: MonotonicInstant
  ) {
    self.speed = speed
    self.requiresChecksum = requiresChecksum
    began = now
    lastFrame = now
  }

  /// Processes received bytes. An empty array means that time has passed and no bytes have arrived. While the speed is
  /// not confirmed, call this function about every 50 ms.
  package mutating func update(with bytes: [UInt8], at now: MonotonicInstant) -> Step {
    if !bytes.isEmpty { examine(bytes, now) }
    if frames >= Self.confirmingFrames {
      isConfirmed = true
      invalidBytes = 0
    }
    if isConfirmed {
      return bytes.isEmpty || now - lastFrame < Self.confirmationTimeout ? .confirmed : tryNext(at: now)
    }
    if invalidBytes >= Self.excludingBytes && !scanner.isInsideFrame { return tryNext(at: now) }
    if now - began >= Self.longestTextTime { return tryNext(at: now) }
    guard let lastByte else { return now - began < Self.quietTimeout ? .wait : tryNext(at: now) }
    let silence = now - lastByte
    // If the burst contained invalid bytes, this speed is wrong. If the burst was text without a complete sentence, the
    // search waits for the next burst, because the text may be the end of a burst that began before the change of the
    // speed.
    if invalidBytes > 0 && frames == 0 && silence >= Self.gap { return tryNext(at: now) }
    return silence < Self.quietTimeout ? .wait : tryNext(at: now)
  }

  private mutating func examine(_ bytes: [UInt8], _ now: MonotonicInstant) {
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

  /// Returns whether a sentence begins with five letters and a comma. Such a beginning is very unlikely at a wrong
  /// speed.
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
