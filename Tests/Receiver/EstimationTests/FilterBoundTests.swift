import Foundation
import GNSS
import SeededNumbers
import Testing

@testable import Estimation

/// A hostile receiver: any positions, velocities and gaps, and then positions that agree with each other beside any
/// velocities.
struct HostileReceiver: CustomTestStringConvertible {
  /// The fault of the reported velocity.
  enum Fault: CaseIterable {
    case constant, reversed, mirrored, scaled, zero, noisy, random, alternating, missing
  }

  let rate: Double
  let fault: Fault
  /// Standard deviation that the receiver reports, metres.
  private let deviation = 1.0

  var testDescription: String { "\(fault) velocities at \(Int(rate)) Hz" }

  static let all = [1.0, 5, 10].flatMap { rate in Fault.allCases.map { HostileReceiver(rate: rate, fault: $0) } }

  /// Returns the errors and the accuracies of the fixes, metres, by the seconds since the positions began to agree.
  func errors(seed: UInt64) -> [(seconds: Double, error: Double, accuracy: Double)] {
    let seconds = 90.0
    let plane = Plane(at: Course().start)
    var random = SplitMix64(seed: seed)
    var filter = PositionFilter()
    var time = 0.0
    var (position, velocity) = (Offset.zero, Offset.zero)
    func update(_ position: Offset, _ velocity: Offset?) -> Fix? {
      var epoch = Course.epoch(at: time)
      epoch.coordinate = plane.coordinate(at: position)
      (epoch.quality, epoch.mode, epoch.satellitesUsed) = (.autonomous, .twoDimensional, 9)
      epoch.errorStatistics = ErrorStatistics(latitude: deviation, longitude: deviation)
      if let velocity, let coordinate = epoch.coordinate {
        (epoch.speed, epoch.course) = (velocity.length, plane.course(of: velocity, at: coordinate))
      }
      return filter.update(epoch)
    }
    func vector(_ length: Double) -> Offset {
      let angle = random.uniform(0...2 * .pi)
      return Offset(x: sin(angle), y: cos(angle)) * length
    }
    // Parts of 5 to 60 s, each with a behaviour of its own.
    for _ in 0..<Int(random.uniform(1...6)) {
      let (isConsistent, jumps) = (random.uniform(0...1) < 0.6, random.uniform(0...1) < 0.4)
      let lies = random.uniform(0...1) < 0.5
      velocity = vector(random.uniform(0...40))
      let lie = vector(random.uniform(0...60))
      for _ in 0..<Int(random.uniform(5...60) * rate) {
        time += random.uniform(0...1) < 0.01 ? random.uniform(0...40) : 1 / rate
        position = position + velocity * (1 / rate)
        let outlier = jumps && random.uniform(0...1) < 0.2 ? vector(pow(10, random.uniform(0.5...3.5))) : .zero
        let noise = vector(isConsistent ? 0.3 : 30)
        let isMissing = random.uniform(0...1) < 0.05
        _ = update(position + noise + outlier, isMissing ? nil : lies ? lie : velocity)
      }
      if random.uniform(0...1) < 0.3 { position = position + vector(random.uniform(0...500)) }
    }
    // From here on the positions agree: a vehicle on a circle.
    let speed = random.uniform(0...40)
    let radius = max(10, speed * speed / random.uniform(0.05...3))
    let (centre, phase) = (position, random.uniform(0...6))
    func truth(_ seconds: Double) -> Offset {
      let angle = phase + seconds * speed / radius
      return centre + Offset(x: sin(angle) - sin(phase), y: cos(angle) - cos(phase)) * radius
    }
    let (constant, factor, first) = (vector(random.uniform(0...60)), random.uniform(0...4), time + 1 / rate)
    return (0..<Int(seconds * rate)).compactMap { index in
      time = first + Double(index) / rate
      let since = time - first
      let right = (truth(since + 0.01) - truth(since - 0.01)) * 50
      let said: Offset? =
        switch fault {
        case .constant: constant
        case .reversed: right * -1
        case .mirrored: Offset(x: right.y, y: right.x)
        case .scaled: right * factor
        case .zero: .zero
        case .noisy: right + vector(random.uniform(0...20))
        case .random: vector(random.uniform(0...60))
        case .alternating: Int(since / 15) % 2 == 0 ? right : constant
        case .missing: nil
        }
      let noise = Offset(x: random.normal(), y: random.normal()) * 0.2
      return update(truth(since) + noise, said).map {
        (since, (plane.offset(of: $0.coordinate) - truth(since)).length, $0.horizontalAccuracy)
      }
    }
  }
}

/// The positions of these receivers are right to within 2.4 of their own radii.
@Test(arguments: HostileReceiver.all)
func `positions that agree are left for at most 22 s, and never by more than five radii for longer than 2 s`(
  receiver: HostileReceiver
) {
  for seed in 1...12 as ClosedRange<UInt64> {
    // Seconds for which the fix has been further from the truth than the noise explains, and further than five radii.
    var (away, outside) = (0.0, 0.0)
    for (seconds, error, accuracy) in receiver.errors(seed: seed) {
      outside = error > 5 * accuracy ? outside + 1 / receiver.rate : 0
      #expect(outside <= 2.01, "seed \(seed), \(seconds) s")
      // The noise is the median of 31 values, so the filter still has the noise from before during the first seconds.
      guard seconds >= 18 else { continue }
      away = error > 6 ? away + 1 / receiver.rate : 0
      #expect(away <= 22.01, "seed \(seed), \(seconds) s")
      if seconds > 60 { #expect(error < 20, "seed \(seed), \(seconds) s") }
    }
  }
}
