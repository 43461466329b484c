import Base
import ControlledBoard
import Foundation
import GNSS
import LineProtocol
import Requirements
import Testing

@testable import Gateway
@testable import SimulatedHardware

/// A vehicle on a circle of 300 m at 15 m/s, and a receiver with one epoch each second.
private struct Drive {
  static let (radius, speed) = (300.0, 15.0)
  /// The standard deviations of the slow error and of the white noise along each axis, in metres.
  static let (slow, white) = (1.0, 0.3)
  static let (latitude, longitude) = (47.3769, 8.5417)

  private var random = RandomSource(seed: 11, stream: 0)
  private var error: [Double] = []

  init() { error = (0..<2).map { _ in random.normal() * Self.slow } }

  /// Returns the metres east and north of the centre.
  static func truth(_ seconds: Double) -> (east: Double, north: Double) {
    let angle = speed / radius * seconds
    return (radius * sin(angle), radius * cos(angle))
  }

  private static let metre = (latitude: 1 / 111_200.0, longitude: 1 / (111_320 * cos(latitude * .pi / 180)))

  /// Returns the distance of a fix from the vehicle in metres.
  static func distance(_ coordinate: Coordinate, at seconds: Double) -> Double {
    let truth = truth(seconds)
    return hypot(
      (coordinate.longitude - longitude) / metre.longitude - truth.east,
      (coordinate.latitude - latitude) / metre.latitude - truth.north)
  }

  /// Returns the sentences of an epoch.
  mutating func epoch(_ second: Int) -> [UInt8] {
    let decay = exp(-1 / 30.0)
    for axis in 0..<2 { error[axis] = decay * error[axis] + random.normal() * Self.slow * sqrt(1 - decay * decay) }
    let truth = Self.truth(Double(second))
    let north = Self.latitude + (truth.north + error[1] + random.normal() * Self.white) * Self.metre.latitude
    let east = Self.longitude + (truth.east + error[0] + random.normal() * Self.white) * Self.metre.longitude
    let position =
      "\(Int(north))\(String(format: "%09.6f", (north - floor(north)) * 60)),N,"
      + "00\(Int(east))\(String(format: "%09.6f", (east - floor(east)) * 60)),E"
    let time = String(format: "07%02d%02d.00", second / 60, second % 60)
    let course = (90 + Double(second) * Self.speed / Self.radius * 180 / .pi).truncatingRemainder(dividingBy: 360)
    let (knots, degrees) = (String(format: "%.2f", Self.speed / 0.514444), String(format: "%.1f", course))
    return nmea("GNRMC,\(time),A,\(position),\(knots),\(degrees),211126,,,A,V")
      + nmea("GNGGA,\(time),\(position),1,11,0.8,408.2,M,47.3,M,,") + nmea("GNGST,\(time),,,,,1.0,1.0,2.0")
  }
}

@Test(.patient)
func `A10: at 15 m/s the fix of a press between two epochs is within 2.5 m of the position at the press`()
  async throws
{
  try await Bench(confirmed()).run { bench in
    let client = try await bench.client("parks")
    var drive = Drive()
    let begin = bench.clock.now
    /// Lets time pass until an instant of the drive.
    func pass(until milliseconds: Int) async {
      await bench.clock.pass(begin + .milliseconds(milliseconds) - bench.clock.now)
    }
    // The receiver counts from 07:00.
    let zero = try #require(UTCTime(iso8601: "2026-11-21T07:00:00Z"))
    var (second, inside) = (0, 0)
    var errors: [(epoch: Double, pressed: Double)] = []
    for number in 0..<20 {
      let asking = await Asking(client)
      for _ in 0..<(number == 0 ? 20 : 3) {
        second += 1
        await pass(until: second * 1000)
        bench.receiver.read(drive.epoch(second))
        await bench.until { $0.sentenceCount == 3 * second }
      }
      let age = 20 + number * 331 % 800
      await pass(until: second * 1000 + age)
      let down = bench.clock.now
      _ = await bench.button.press(for: .milliseconds(40))
      await bench.pass { $0.waitingCount == 0 && $0.grantCount == 0 }
      let fix = try await asking.outcome.value
      let (coordinate, radius) = (try #require(fix.coordinate), try #require(fix.horizontalAccuracy))
      let (time, measured) = (try #require(fix.time), try #require(fix.measured))
      let seconds = Double((ClockReading(monotonic: begin, utc: zero).instant(at: time) - begin).milliseconds) / 1000
      #expect(abs(seconds - Double((down - begin).milliseconds) / 1000) < 0.002)
      #expect(measured <= time && time.nanosecondsSince1970 - measured.nanosecondsSince1970 < 2_000_000_000)
      errors.append((Drive.distance(coordinate, at: floor(seconds)), Drive.distance(coordinate, at: seconds)))
      if errors[number].pressed <= radius { inside += 1 }
    }
    let median = errors.map(\.pressed).sorted()[10]
    let apart = errors.map(\.epoch).sorted()[10]
    #expect(median <= 2.5, "the median error is \(median) m")
    #expect(apart > 5, "the fix is not at the place of the epoch: \(apart) m")
    #expect((10...20).contains(inside), "\(inside) of 20 are inside hacc")
  }
}
