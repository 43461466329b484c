import Dispatch
import Foundation
import Glibc
import SeededNumbers
import Synchronization
import Testing

/// A cable between two serial ports at the rate of a slow line. It loses and changes bytes.
///
/// The damage of a line depends only on the seed and on the number of lines before it.
final class Cable: Sendable {
  /// Bytes per second at 9600 baud with ten bits per byte.
  private static let pace = 960

  private struct Direction {
    var waiting: [UInt8] = []
    var line: [UInt8] = []
    var random: SplitMix64
  }

  /// The average number of lines per damaged line. Nil for a cable without damage.
  private let damage = Mutex<Int?>(nil)
  /// The number of damaged lines so far.
  let damaged = Atomic(0)
  private let directions: Mutex<[Direction]>
  private let timer = Mutex<(any DispatchSourceTimer & Sendable)?>(nil)

  init(seed: UInt64) {
    directions = Mutex((0..<2).map { Direction(random: SplitMix64(seed: seed &+ UInt64($0))) })
  }

  deinit { cut() }

  /// - Parameter deliver: Receives the bytes at each end.
  func connect(_ deliver: @escaping @Sendable (_ bytes: [UInt8], _ direction: Int) -> Void) {
    let timer = DispatchSource.makeTimerSource()
    // A timer of 100 Hz delivers the bytes that the line transmits in one interval.
    timer.schedule(deadline: .now(), repeating: .milliseconds(10))
    timer.setEventHandler { [weak self] in self?.carry(deliver) }
    timer.resume()
    self.timer.withLock { $0 = timer as? DispatchSource }
  }

  func cut() { timer.withLock { $0 }?.cancel() }

  /// Damages one line in a number of lines on average, from now on.
  func damage(oneOf lines: Int?) { damage.withLock { $0 = lines } }

  func send(_ bytes: [UInt8], _ direction: Int) {
    let damage = damage.withLock { $0 }
    directions.withLock { directions in
      for byte in bytes {
        directions[direction].line.append(byte)
        guard byte == UInt8(ascii: "\n") else { continue }
        var line = directions[direction].line
        if let damage, Int.random(in: 0..<damage, using: &directions[direction].random) == 0 {
          line = Self.damaged(line, &directions[direction].random)
          damaged.add(1, ordering: .relaxed)
        }
        directions[direction].waiting += line
        directions[direction].line = []
      }
    }
  }

  private func carry(_ deliver: @Sendable (_ bytes: [UInt8], _ direction: Int) -> Void) {
    for number in 0..<2 {
      let bytes = directions.withLock { directions in
        let bytes = Array(directions[number].waiting.prefix(Self.pace / 100))
        directions[number].waiting.removeFirst(bytes.count)
        return bytes
      }
      if !bytes.isEmpty { deliver(bytes, number) }
    }
  }

  /// Returns a damaged copy of a line. A copy that a 16-bit checksum cannot distinguish (1 in 65,536) is not used,
  /// because no receiver can detect it.
  private static func damaged(_ line: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    while true {
      var bytes = line
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let index = bytes.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0...3, using: &random) {
        case 0: bytes.remove(at: index)
        case 1: bytes.removeSubrange(index..<min(bytes.count, index + 20))
        case 2: bytes[index] = UInt8.random(in: 0...255, using: &random)
        default: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
      }
      // A line that has lost its end continues with the next line.
      let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
      if bytes != line, parts.allSatisfy({ CRC16.verified(String(decoding: $0, as: UTF8.self)) == nil }) {
        return bytes
      }
    }
  }
}
