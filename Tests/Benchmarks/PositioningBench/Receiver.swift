import Base
import GNSS
import Glibc

/// One epoch and the true position of the receiver.
struct TrackPoint {
  var epoch: Epoch
  /// Nil if the truth of a log has no position for this time.
  var truth: Coordinate?
}

/// A simulated receiver. Like those of real receivers, its errors are correlated, come from reflections, are delayed
/// and are sometimes large.
struct Receiver {
  /// Epochs per second.
  var rate = 1.0
  /// Whether the receiver filters its positions, as nearly all receivers do.
  var hasFiltered = true
  /// Whether the receiver holds its position at rest.
  var holds = false
  /// The age of the Doppler velocity, seconds.
  var lag = 0.2
  /// Whether the positions of the first seconds have a larger error, until the receiver has converged.
  var converges = true
  /// Whether the receiver sometimes repeats a position for 1 to 3 s with new times.
  var repeatsPositions = false
  /// The standard deviation that the receiver always claims, metres. By default the claim is nearly true.
  var claimed: Double?

  /// The coordinates of Munich, in degrees.
  static let (latitude, longitude) = (48.1374, 11.5755)
  private static let start = UTCTime(
    date: UTCDate(year: 2025, month: 6, day: 1)!, timeOfDay: TimeOfDay(hour: 8, minute: 0, second: 0)!)

  func track(_ scenario: Scenario, seed: UInt64) -> [TrackPoint] {
    var run = Run(self, scenario, seed: seed)
    return (0..<Int(scenario.duration * rate)).map { run.next(at: Double($0) / rate) }
  }

  static func coordinate(of position: Metres) -> Coordinate {
    Coordinate(
      latitude: latitude + position.north / Ground.metresNorth(at: latitude),
      longitude: longitude + position.east / Ground.metresEast(at: latitude))!
  }

  /// A Gauss-Markov error with a standard deviation of 1.
  private struct LastingError {
    private let kept: Double
    private var value: Metres

    /// - Parameter memory: the time constant in epochs.
    init(memory: Double, _ random: inout Random) {
      (kept, value) = (exp(-1 / memory), random.normalPair())
    }

    mutating func next(_ random: inout Random) -> Metres {
      value = value * kept + random.normalPair() * sqrt(1 - kept * kept)
      return value
    }
  }

  private struct Hump {
    let start, length: Double
    let size: Metres

    func error(at seconds: Double) -> Metres? {
      let passed = (seconds - start + 1) / (length + 1)
      return passed < 1 ? size * sin(.pi * passed) : nil
    }
  }

  private struct Run {
    let receiver: Receiver
    let scenario: Scenario
    var random: Random
    var slow, fast: LastingError
    /// The ratio of the claimed standard deviation to the true one.
    let mistake: Double
    /// The error at the start, before the receiver has converged, metres.
    let startError: Metres
    var hump: Hump?
    /// The positions without outliers, by epoch.
    var positions: [Metres] = []
    var held: Metres?
    var repeated: (position: Metres, until: Double)?

    init(_ receiver: Receiver, _ scenario: Scenario, seed: UInt64) {
      (self.receiver, self.scenario) = (receiver, scenario)
      var random = Random(seed: seed ^ 0x5EED)
      slow = LastingError(memory: 600 * receiver.rate, &random)
      fast = LastingError(memory: scenario.surroundings(at: 0).memory * receiver.rate, &random)
      mistake = exp(0.25 * random.normal())
      startError = random.direction() * (receiver.converges ? random.uniform(5...25) : 0)
      self.random = random
    }

    mutating func next(at seconds: Double) -> TrackPoint {
      let surroundings = scenario.surroundings(at: seconds)
      let state = scenario.trajectory.state(at: seconds)
      var epoch = Receiver.epoch(at: seconds)
      let (position, velocity) = measured(state, in: surroundings, at: seconds)
      if scenario.outages.contains(where: { $0.contains(seconds) }) {
        epoch.quality = .invalid
      } else {
        report(position, velocity, surroundings, in: &epoch)
      }
      return TrackPoint(epoch: epoch, truth: Receiver.coordinate(of: state.position))
    }

    private mutating func measured(
      _ state: Trajectory.State, in surroundings: Surroundings, at seconds: Double
    ) -> (position: Metres, velocity: Metres) {
      let white = random.normalPair() * receiver.white(in: surroundings)
      if hump == nil, random.happens(surroundings.humps / 60 / receiver.rate) {
        hump = Hump(
          start: seconds, length: random.uniform(surroundings.humpTime),
          size: random.direction() * random.uniform(surroundings.humpSize))
      }
      let reflection = hump?.error(at: seconds)
      if reflection == nil { hump = nil }
      let lasting = slow.next(&random) * surroundings.slow + fast.next(&random) * surroundings.fast
      var position = state.position + lasting + white + (reflection ?? Metres()) + startError * exp(-seconds / 8)
      positions.append(position)
      if seconds >= 10, random.happens(surroundings.outliers / receiver.rate) {
        // Either the position of one second ago with the current time, or a random position.
        if random.happens(0.6), state.speed > 3 {
          position = positions[positions.count - 1 - Int(receiver.rate)]
        } else {
          position = position + random.direction() * random.uniform(15...120)
        }
      }
      if scenario.outliers.contains(where: { $0 <= seconds && seconds < $0 + 1 / receiver.rate }) {
        position = position + random.direction() * 100.0
      }
      if receiver.repeatsPositions { position = repeating(position, at: seconds) }
      let velocity = scenario.trajectory.state(at: max(0, seconds - receiver.lag)).velocity
      let velocityError = random.normalPair() * (surroundings.velocity * (reflection == nil ? 1 : 3))
      guard receiver.holds, state.speed < 0.15 else {
        held = nil
        return (position, velocity + velocityError)
      }
      let holding = held.map { $0 + (position - $0) * (0.02 / receiver.rate) } ?? position
      held = holding
      return (holding, Metres())
    }

    /// Returns an earlier position while the receiver repeats it, otherwise this one.
    private mutating func repeating(_ position: Metres, at seconds: Double) -> Metres {
      if let repeated, seconds <= repeated.until { return repeated.position }
      repeated = random.happens(0.1 / receiver.rate) ? (position, seconds + random.uniform(1...3)) : nil
      return position
    }

    private func report(
      _ position: Metres, _ velocity: Metres, _ surroundings: Surroundings, in epoch: inout Epoch
    ) {
      let white = receiver.white(in: surroundings)
      let sigma = sqrt(surroundings.slow * surroundings.slow + surroundings.fast * surroundings.fast + white * white)
      let claimed = receiver.claimed ?? sigma * mistake * (hump == nil ? 1 : 1.6)
      epoch.coordinate = Receiver.coordinate(of: position)
      (epoch.mode, epoch.quality) = (.twoDimensional, .autonomous)
      epoch.errorStatistics = ErrorStatistics(latitude: claimed, longitude: claimed)
      epoch.dilutionOfPrecision.horizontal = surroundings.hdop * (hump == nil ? 1 : 1.5)
      epoch.satellitesUsed = max(4, surroundings.satellites - (hump == nil ? 0 : 3))
      epoch.speed = velocity.length
      if velocity.length > 0.3 {
        epoch.course = (atan2(velocity.east, velocity.north) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
      }
    }
  }

  /// The standard deviation of white noise, metres.
  private func white(in surroundings: Surroundings) -> Double { surroundings.white * (hasFiltered ? 1 : 4) }

  private static func epoch(at seconds: Double) -> Epoch {
    let nanoseconds = Int64((seconds * 1e9).rounded())
    let time = UTCTime(nanosecondsSince1970: start.nanosecondsSince1970 + nanoseconds)
    let arrived = MonotonicInstant(nanoseconds: nanoseconds)
    var epoch = Epoch(began: arrived, ended: arrived)
    (epoch.date, epoch.timeOfDay) = (time.date, time.timeOfDay)
    return epoch
  }
}
