import Dispatch
import Foundation
import Glibc
import SeededNumbers
import Synchronization
import Testing

/// A cable between two serial ports on which bytes get lost and turn over, at the pace of a slow line.
///
/// What it does to a line depends on its seed and on how many lines there were before, and on nothing else.
final class Cable: Sendable {
  /// Bytes per second: 9600 baud, ten bits each.
  private static let pace = 960

  private struct Direction {
    var waiting: [UInt8] = []
    var line: [UInt8] = []
    var random: SplitMix64
  }

  /// Lines in how many one is damaged; nil where the cable is sound.
  private let damage = Mutex<Int?>(nil)
  /// Lines that were damaged so far.
  let damaged = Atomic(0)
  private let directions: Mutex<[Direction]>
  private let timer = Mutex<(any DispatchSourceTimer & Sendable)?>(nil)

  init(seed: UInt64) {
    directions = Mutex((0..<2).map { Direction(random: SplitMix64(seed: seed &+ UInt64($0))) })
  }

  deinit { cut() }

  /// - Parameter deliver: told what comes out at an end.
  func connect(_ deliver: @escaping @Sendable (_ bytes: [UInt8], _ direction: Int) -> Void) {
    let timer = DispatchSource.makeTimerSource()
    // A hundred times a second, as many bytes as the line carries meanwhile.
    timer.schedule(deadline: .now(), repeating: .milliseconds(10))
    timer.setEventHandler { [weak self] in self?.carry(deliver) }
    timer.resume()
    self.timer.withLock { $0 = timer as? DispatchSource }
  }

  func cut() { timer.withLock { $0 }?.cancel() }

  /// From now on one line of so many is damaged, on the whole.
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

  /// A line that is not what it was. What a checksum of 16 bits cannot see, one in 65,536, is left out: no test can ask
  /// that it be seen.
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
      // What has lost its end goes on with the next line.
      let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
      if bytes != line, parts.allSatisfy({ CRC16.verified(String(decoding: $0, as: UTF8.self)) == nil }) {
        return bytes
      }
    }
  }
}
