package import Clocks
import Hardware
import OperatingSystem

/// A log of NMEA 0183, UBX or both that is sent as if its receiver were there: `replay:FILE[@SPEED]`. It may be
/// compressed with gzip.
///
/// The log keeps its own time: what it says about one instant is sent together, and the next after as long as lay
/// between them, but after 5 s at most; a log that jumps back goes on at once. The file is read piece by piece,
/// whatever its size, and no faster than its bytes are taken.
package struct ReplayPort: BytePort {
  package enum Speed: Hashable, Sendable, CustomStringConvertible {
    /// So many times as fast as it was recorded; above 0.
    case factor(Double)
    /// As fast as the bytes are taken.
    case unlimited

    package var description: String {
      switch self {
      case .factor(let factor): factor == factor.rounded() && factor < 1e9 ? "\(Int(factor))" : "\(factor)"
      case .unlimited: "max"
      }
    }
  }

  package let path: String
  package let speed: Speed
  /// Never: the log tells where its receiver was.
  package var isLive: Bool { false }

  private let pace: Pace

  package init(path: String, speed: Speed = .factor(1)) {
    self.init(path: path, speed: speed, pace: .real)
  }

  init(path: String, speed: Speed, pace: Pace) {
    self.path = path
    self.speed = speed
    self.pace = pace
  }

  package var name: String {
    speed == .factor(1) ? "replay:\(path)" : "replay:\(path)@\(speed)"
  }

  package func run(
    opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws {
    var file = try LogFile(path: path)
    await opened()
    switch speed {
    case .unlimited:
      while !Task.isCancelled, let chunk = try file.read() {
        await receive(chunk, pace.reading().monotonic)
        // Whoever else has work gets a turn, even where nothing of this ever waits.
        await Task.yield()
      }
    case .factor(let factor):
      try await send(&file, factor: factor, receive)
    }
  }

  private func send(
    _ file: inout LogFile, factor: Double,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws {
    var schedule = ReplaySchedule()
    var due = pace.reading().monotonic
    var hasEnded = false
    while !hasEnded {
      let chunk = try file.read()
      hasEnded = chunk == nil
      for group in chunk.map({ schedule.take($0) }) ?? schedule.finish() {
        if group.wait > .zero {
          due = due + group.wait / factor
          guard await pace.reaches(due) else { return }
        }
        if Task.isCancelled { return }
        await receive(group.bytes, pace.reading().monotonic)
      }
    }
  }
}
