import Clocks
import GNSS
import Glibc

/// One epoch and where the receiver really was.
struct Moment {
  var epoch: Epoch
  /// Nil where a log's truth has nothing.
  var truth: Coordinate?
}

/// A receiver on a way: its errors are correlated, reflected, late and sometimes wild, as recorded ones are.
struct Receiver {
  /// Whether it has filtered its positions, as nearly all do.
  var hasFiltered = true
  /// Whether it holds its position at rest.
  var holds = false

  /// Munich.
  static let (latitude, longitude) = (48.1374, 11.5755)
  private static let start = UTCTime(
    date: UTCDate(year: 2025, month: 6, day: 1)!, timeOfDay: TimeOfDay(hour: 8, minute: 0, second: 0)!)

  func track(_ scenario: Scenario, seed: UInt64) -> [Moment] {
    var run = Run(self, scenario, seed: seed)
    return (0..<Int(Scenario.duration)).map { run.next(at: Double($0)) }
  }

  static func coordinate(of place: Metres) -> Coordinate {
    Coordinate(
      latitude: latitude + place.north / Ground.metresNorth(at: latitude),
      longitude: longitude + place.east / Ground.metresEast(at: latitude))!
  }

  /// An error with a memory: standard deviation 1.
  private struct Lasting {
    let memory: Double
    var value: Metres

    mutating func next(_ random: inout Random) -> Metres {
      let kept = exp(-1 / memory)
      value = value * kept + random.normalPair() * sqrt(1 - kept * kept)
      return value
    }
  }

  private struct Hump {
    let began, length: Double
    let size: Metres

    func error(at seconds: Double) -> Metres? {
      let passed = (seconds - began + 1) / (length + 1)
      return passed < 1 ? size * sin(.pi * passed) : nil
    }
  }

  private struct Run {
    let receiver: Receiver
    let scenario: Scenario
    var random: Random
    var way: Way
    var slow, fast: Lasting
    let dropouts: [ClosedRange<Double>]
    /// By how much it takes itself for better or worse than it is.
    let mistake: Double
    /// Where it seems to be while it converges, metres.
    let beginning: Metres
    var hump: Hump?
    var lastPlace: Metres?
    var held: Metres?
    var course = 0.0

    init(_ receiver: Receiver, _ scenario: Scenario, seed: UInt64) {
      (self.receiver, self.scenario) = (receiver, scenario)
      way = Way(scenario, seed: seed)
      var random = Random(seed: seed ^ 0x5EED)
      slow = Lasting(memory: 600, value: random.normalPair())
      fast = Lasting(memory: scenario.surroundings(at: 0).memory, value: random.normalPair())
      dropouts = scenario.dropouts(&random)
      mistake = exp(0.25 * random.normal())
      beginning = random.direction() * random.uniform(5...25)
      self.random = random
    }

    mutating func next(at seconds: Double) -> Moment {
      let before = way.velocity
      if seconds > 0 { way.advance(by: 1) }
      let around = scenario.surroundings(at: seconds)
      var epoch = Receiver.epoch(at: seconds)
      let truth = Receiver.coordinate(of: way.place)
      let (place, velocity) = measured(around, at: seconds, velocityBefore: before)
      guard !dropouts.contains(where: { $0.contains(seconds) }) else {
        epoch.quality = .invalid
        return Moment(epoch: epoch, truth: truth)
      }
      report(place, velocity, around, in: &epoch)
      return Moment(epoch: epoch, truth: truth)
    }

    private mutating func measured(
      _ around: Surroundings, at seconds: Double, velocityBefore before: Metres
    ) -> (place: Metres, velocity: Metres) {
      let white = random.normalPair() * (around.white * (receiver.hasFiltered ? 1 : 4))
      if hump == nil, random.happens(around.humps / 60) {
        hump = Hump(
          began: seconds, length: random.uniform(around.humpTime),
          size: random.direction() * random.uniform(around.humpSize))
      }
      let reflected = hump?.error(at: seconds)
      if reflected == nil { hump = nil }
      var place = way.place + slow.next(&random) * around.slow + fast.next(&random) * around.fast + white
      place = place + (reflected ?? Metres()) + beginning * exp(-seconds / 8)
      let honest = place
      if seconds >= 10, random.happens(around.outliers) {
        // A position of a second ago with the time of now, or anywhere.
        if random.happens(0.6), way.speed > 3, let lastPlace {
          place = lastPlace
        } else {
          place = place + random.direction() * random.uniform(15...120)
        }
      }
      lastPlace = honest
      let late = way.velocity * 0.8 + before * 0.2
      let velocity = late + random.normalPair() * (around.velocity * (reflected == nil ? 1 : 3))
      guard receiver.holds, way.speed < 0.15 else {
        held = nil
        return (place, velocity)
      }
      held = held.map { $0 + (place - $0) * 0.02 } ?? place
      return (held ?? place, Metres())
    }

    private mutating func report(
      _ place: Metres, _ velocity: Metres, _ around: Surroundings, in epoch: inout Epoch
    ) {
      let white = around.white * (receiver.hasFiltered ? 1 : 4)
      let sigma = sqrt(around.slow * around.slow + around.fast * around.fast + white * white)
      let worse = hump == nil ? 1 : 1.6
      epoch.coordinate = Receiver.coordinate(of: place)
      (epoch.mode, epoch.quality) = (.twoDimensional, .autonomous)
      epoch.errorStatistics = ErrorStatistics(latitude: sigma * mistake * worse, longitude: sigma * mistake * worse)
      epoch.dilutionOfPrecision.horizontal = around.hdop * (hump == nil ? 1 : 1.5)
      epoch.satellitesUsed = max(4, around.satellites - (hump == nil ? 0 : 3))
      epoch.speed = velocity.length
      if velocity.length > 0.3 {
        epoch.course = (atan2(velocity.east, velocity.north) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
      }
    }
  }

  private static func epoch(at seconds: Double) -> Epoch {
    let time = UTCTime(nanosecondsSince1970: start.nanosecondsSince1970 + Int64(seconds * 1e9))
    let arrived = MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
    var epoch = Epoch(began: arrived, ended: arrived)
    (epoch.date, epoch.timeOfDay) = (time.date, time.timeOfDay)
    return epoch
  }
}

/// Degrees and metres on WGS 84.
enum Ground {
  private static let (axis, eccentricity) = (6_378_137.0, 0.006_694_379_990_14)

  private static func root(at latitude: Double) -> Double {
    let sine = sin(latitude * .pi / 180)
    return sqrt(1 - eccentricity * sine * sine)
  }

  static func metresNorth(at latitude: Double) -> Double {
    let root = root(at: latitude)
    return axis * (1 - eccentricity) / (root * root * root) * .pi / 180
  }

  static func metresEast(at latitude: Double) -> Double {
    axis / root(at: latitude) * cos(latitude * .pi / 180) * .pi / 180
  }

  static func distance(_ a: Coordinate, _ b: Coordinate) -> Double {
    let turn = (a.longitude - b.longitude).remainder(dividingBy: 360)
    return hypot(turn * metresEast(at: b.latitude), (a.latitude - b.latitude) * metresNorth(at: b.latitude))
  }
}
