import Base
import GNSS
import Glibc

/// A fault of the positions that a receiver sends with correct times and velocities.
enum PositionFault: String, CaseIterable {
  /// The positions drift by 20 to 80 m over a minute. Then the receiver recovers, and the next position is correct.
  case drift = "drift and recovery"
  /// One epoch in 40 has the position of up to a second ago, and one in 60 begins one to three epochs with the
  /// position of the epoch before.
  case late = "late and repeated epochs"
  /// The receiver sends exactly the same position as long as the vehicle stands.
  case hold = "position held at rest"
  /// Three successive positions in 200 s are 30 to 80 m off.
  case glitch = "glitch of 3 s"
  /// The receiver reports a HDOP of 0.38 to 0.6 and no error estimates, because it uses many satellites. Its positions
  /// have an additional error of 2.5 m per axis that stays the same.
  case bias = "low HDOP, lasting bias"
  /// The positions scatter by 14 m per axis around the true position. The speeds are 0.3 to 0.5 m/s, without a course.
  case indoors = "weak signal at rest"
  /// The first positions are 30 to 60 m off, and this error shrinks over a minute. The HDOP is 3 at first.
  case cold = "cold start"

  /// The interval in seconds at which drifts and glitches begin, and the length of a drift.
  static let (interval, length) = (200, 60)

  func applied(to track: [TrackPoint], seed: UInt64) -> [TrackPoint] {
    var random = Random(seed: seed ^ 0xFA17)
    var changed = track
    switch self {
    case .drift, .glitch:
      for start in stride(from: 100, to: track.count - Self.length, by: Self.interval) {
        let glitch = self == .glitch
        let (length, size) = (glitch ? 3 : Self.length, random.direction() * random.uniform(glitch ? 30...80 : 20...80))
        for index in 0..<length {
          changed[start + index].move(by: size * (glitch ? 1 : Double(index) / Double(length)))
        }
      }
    case .late: delay(&changed, &random)
    case .hold:
      for index in track.indices.dropFirst() where track[index].truth == track[index - 1].truth {
        changed[index].epoch.coordinate = changed[index - 1].epoch.coordinate
      }
    case .bias:
      let (bias, hdop) = (random.normalPair() * 2.5, random.uniform(0.38...0.6))
      for index in changed.indices { changed[index].reportDilution(hdop, error: bias) }
    case .indoors:
      var error = random.normalPair()
      for index in changed.indices {
        error = error * exp(-0.1) + random.normalPair() * sqrt(1 - exp(-0.2))
        changed[index].reportDilution(random.uniform(1...2), error: error * 14)
        (changed[index].epoch.speed, changed[index].epoch.course) = (random.uniform(0.3...0.5), nil)
      }
    case .cold:
      let error = random.direction() * random.uniform(30...60)
      for index in changed.indices {
        let left = exp(-Double(index) / 25)
        changed[index].reportDilution(1.4 + 1.6 * left, error: error * left)
      }
    }
    return changed
  }

  private func delay(_ track: inout [TrackPoint], _ random: inout Random) {
    var repeated = 0
    let original = track
    for index in track.indices.dropFirst() where original[index].epoch.coordinate != nil {
      if repeated > 0, let before = track[index - 1].epoch.coordinate {
        track[index].epoch.coordinate = before
        repeated -= 1
      } else if random.happens(1 / 40), let now = original[index].truth, let before = original[index - 1].truth {
        track[index].move(by: Ground.displacement(from: now, to: before) * random.uniform(0.3...1))
      } else if random.happens(1 / 60) {
        repeated = 1 + Int(random.unit() * 3)
      }
    }
  }
}

extension TrackPoint {
  fileprivate mutating func move(by displacement: Metres) {
    epoch.coordinate = epoch.coordinate.flatMap { Ground.moved($0, by: displacement) }
  }

  fileprivate mutating func reportDilution(_ hdop: Double, error: Metres) {
    move(by: error)
    epoch.errorStatistics = nil
    epoch.dilutionOfPrecision.horizontal = hdop
  }
}
