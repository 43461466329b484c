package import Clocks
import Framing
import Hardware

/// Finds the speed at which a receiver sends, by the frames that come out whole.
///
/// At a wrong speed bytes come out as noise: a few strange ones rule a speed out within a burst, long before its end. A
/// speed is settled by two sentences or one binary frame with the right checksum, never by one lucky XOR, and looked
/// for anew when no frame has come for a while although bytes do. A pure value: bytes and times in, steps out.
package struct BaudSearch: Sendable {
  package enum Step: Hashable, Sendable {
    /// Go on at this speed; what came is not known to make sense.
    case wait
    /// What came since the last change was sent at this speed.
    case settled
    /// Set the port to another speed.
    case change(to: Int)
  }

  /// Frames that settle a speed; a binary frame counts double.
  private static let enough = 2
  /// Strange bytes that rule a speed out.
  private static let tooStrange = 12
  /// Silence that ends a burst.
  private static let gap: Duration = .milliseconds(100)
  /// How long a speed is kept at which nothing strange came, or nothing at all: longer than a receiver's second.
  private static let patience: Duration = .milliseconds(1300)
  /// How long text without frames is listened to.
  private static let longestListening: Duration = .seconds(4)
  /// How long a settled speed is believed while bytes come but no frame.
  private static let belief: Duration = .seconds(5)

  /// Bits per second.
  package private(set) var speed: Int
  package private(set) var isSettled = false
  private let requiresChecksum: Bool
  private var scanner = FrameScanner()
  private var frames = 0
  private var strange = 0
  /// When this speed was begun, when the last byte came, and when the last frame.
  private var began: MonotonicInstant
  private var lastByte: MonotonicInstant?
  private var lastFrame: MonotonicInstant

  /// - Parameters:
  ///   - speed: what is tried first, bits per second.
  ///   - requiresChecksum: false where lines count that begin as sentences do and have no checksum.
  package init(
    from speed: Int = SerialSpeed.likeliestFirst[0], requiresChecksum: Bool = true, at now: MonotonicInstant
  ) {
    self.speed = speed
    self.requiresChecksum = requiresChecksum
    began = now
    lastFrame = now
  }

  /// Takes bytes; none where only time has passed. While nothing is settled it is to be called every 50 ms or so.
  package mutating func take(_ bytes: [UInt8], at now: MonotonicInstant) -> Step {
    if !bytes.isEmpty { look(at: bytes, now) }
    if frames >= Self.enough {
      isSettled = true
      strange = 0
    }
    if isSettled {
      return bytes.isEmpty || now - lastFrame < Self.belief ? .settled : tryNext(at: now)
    }
    if strange >= Self.tooStrange && !scanner.isInsideFrame { return tryNext(at: now) }
    if now - began >= Self.longestListening { return tryNext(at: now) }
    guard let lastByte else { return now - began < Self.patience ? .wait : tryNext(at: now) }
    let silence = now - lastByte
    // A burst ended in noise. Plain text without a whole sentence may be the end of a burst that began before.
    if strange > 0 && frames == 0 && silence >= Self.gap { return tryNext(at: now) }
    return silence < Self.patience ? .wait : tryNext(at: now)
  }

  private mutating func look(at bytes: [UInt8], _ now: MonotonicInstant) {
    lastByte = now
    for byte in bytes where !(0x20...0x7E).contains(byte) && byte != 0x0D && byte != 0x0A { strange += 1 }
    var position = 0
    while let frame = scanner.next(in: bytes.span, from: &position) {
      switch frame.kind {
      case .sentence(let computed, let received)
      where received == computed || (received == nil && !requiresChecksum && hasAddress(frame, in: bytes)):
        frames += 1
        lastFrame = now
      case .ubx, .rtcm3:
        // What was strange was its payload.
        frames += Self.enough
        lastFrame = now
      case .sentence, .rejected:
        break
      }
    }
  }

  /// Whether a sentence begins with five letters and a comma: what a wrong speed makes hardly ever does.
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
    isSettled = false
    scanner = FrameScanner()
    frames = 0
    strange = 0
    began = now
    lastByte = nil
    lastFrame = now
    return .change(to: speed)
  }
}
