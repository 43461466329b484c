import Glibc

/// A movement along straight lines and arcs at constant accelerations. Its state is exact at every instant.
struct Trajectory {
  enum Segment {
    /// Keeps the speed, which is 0 for a stop.
    /// - Parameter radius: The radius of an arc in metres, positive to the right and negative to the left.
    case steady(seconds: Double, radius: Double = .infinity)
    /// Changes the speed to m/s at a constant acceleration or deceleration, m/s².
    case change(to: Double, at: Double, radius: Double = .infinity)
  }

  struct State {
    /// The distance from the start, in metres.
    var position = Metres()
    /// The speed in metres per second.
    var speed: Double
    /// The heading in radians from north, clockwise.
    var heading: Double

    var velocity: Metres { Metres(heading: heading) * speed }

    /// The state after a time at a constant acceleration (m/s²) and curvature (1/m).
    fileprivate func after(_ seconds: Double, acceleration: Double, curvature: Double) -> State {
      let metres = speed * seconds + acceleration * seconds * seconds / 2
      let half = curvature * metres / 2
      let chord = half == 0 ? metres : metres * sin(half) / half
      return State(
        position: position + Metres(heading: heading + half) * chord, speed: speed + acceleration * seconds,
        heading: heading + 2 * half)
    }
  }

  private struct Piece {
    let start: Double
    let state: State
    let acceleration, curvature: Double
  }

  private var pieces: [Piece] = []
  /// The duration in seconds.
  private(set) var duration = 0.0
  /// The state at the end, which the movement keeps from then on.
  private(set) var last: State

  init(speed: Double = 0, heading: Double, _ segments: [Segment] = []) {
    last = State(speed: speed, heading: heading)
    for segment in segments { append(segment) }
  }

  mutating func append(_ segment: Segment) {
    switch segment {
    case .steady(let seconds, let radius): append(seconds, acceleration: 0, curvature: 1 / radius)
    case .change(let speed, let rate, let radius):
      let seconds = abs(speed - last.speed) / rate
      append(seconds, acceleration: speed < last.speed ? -rate : rate, curvature: 1 / radius)
      last.speed = speed
    }
  }

  private mutating func append(_ seconds: Double, acceleration: Double, curvature: Double) {
    guard seconds > 0 else { return }
    pieces.append(Piece(start: duration, state: last, acceleration: acceleration, curvature: curvature))
    last = last.after(seconds, acceleration: acceleration, curvature: curvature)
    duration += seconds
  }

  /// Appends a straight section of this length in metres. The car accelerates up to at most `most` and brakes to `end`
  /// (m/s).
  mutating func append(metres: Double, most: Double, end: Double, acceleration: Double, deceleration: Double) {
    let (start, rates) = (last.speed, acceleration + deceleration)
    let square = 2 * metres * acceleration * deceleration + start * start * deceleration + end * end * acceleration
    let peak = max(start, end, min(most, sqrt(square / rates)))
    let changing =
      (peak * peak - start * start) / (2 * acceleration) + (peak * peak - end * end) / (2 * deceleration)
    append(.change(to: peak, at: acceleration))
    append(.steady(seconds: (metres - changing) / peak))
    append(.change(to: end, at: deceleration))
  }

  /// - Parameter seconds: 0 or more.
  func state(at seconds: Double) -> State {
    guard seconds < duration, let piece = pieces.last(where: { $0.start <= seconds }) else {
      return last.after(max(0, seconds - duration), acceleration: 0, curvature: 0)
    }
    return piece.state.after(seconds - piece.start, acceleration: piece.acceleration, curvature: piece.curvature)
  }
}

/// The kinds of random trajectories.
enum Route {
  case parked, walk, city, highway
  /// A road through a town at 15 m/s.
  case road
  /// A highway with slow traffic on it.
  case traffic

  func trajectory(_ random: inout Random, seconds: Double) -> Trajectory {
    var trajectory = Trajectory(heading: random.uniform(0...2 * .pi))
    var bend = 0.0
    while trajectory.duration < seconds {
      switch self {
      case .parked: trajectory.append(.steady(seconds: seconds))
      case .walk: appendWalk(to: &trajectory, &random)
      case .city: appendBlock(to: &trajectory, &random)
      case .highway, .traffic:
        bend = 0.97 * bend + random.normal() * 0.012 / 100
        appendRoad(to: &trajectory, bend: bend, &random)
      case .road: appendTown(to: &trajectory, &random)
      }
    }
    return trajectory
  }

  private func appendWalk(to trajectory: inout Trajectory, _ random: inout Random) {
    let angles: [Double] = [0, 0, 0, 0, 0.2, 0.2, -0.2, -0.2, .pi / 2, -.pi / 2]
    let angle = angles[Int(random.unit() * 10)]
    let stops = random.happens(0.2)
    trajectory.append(
      metres: random.uniform(20...70), most: 1.45, end: stops ? 0 : angle == 0 ? 1.45 : 0.9, acceleration: 0.6,
      deceleration: 0.6)
    if stops { trajectory.append(.steady(seconds: random.uniform(8...60))) }
    appendBend(to: &trajectory, angle, speed: 0.9, radius: 1, acceleration: 0.6)
  }

  /// A street up to its next crossing. The car brakes hard before one stop in twenty.
  private func appendBlock(to trajectory: inout Trajectory, _ random: inout Random) {
    let metres = [120.0, 180, 250, 400][Int(random.unit() * 4)]
    let draw = random.unit()
    let angle = draw < 0.7 ? 0 : draw < 0.85 ? Double.pi / 2 : -Double.pi / 2
    let stops = random.happens(0.3)
    trajectory.append(
      metres: metres, most: 13.9, end: stops ? 0 : angle == 0 ? 13.9 : 4.5, acceleration: random.uniform(1...2),
      deceleration: stops && random.happens(0.05) ? random.uniform(4...7) : random.uniform(1...2.5))
    if stops { trajectory.append(.steady(seconds: random.uniform(8...60))) }
    appendBend(to: &trajectory, angle, speed: 4.5, radius: 10, acceleration: 1.5)
  }

  private func appendBend(
    to trajectory: inout Trajectory, _ angle: Double, speed: Double, radius: Double, acceleration: Double
  ) {
    guard angle != 0 else { return }
    trajectory.append(.change(to: speed, at: acceleration))
    trajectory.append(.steady(seconds: abs(angle) * radius / speed, radius: angle < 0 ? -radius : radius))
  }

  /// A straight or a bend at 12 to 18 m/s. The car stops at one crossing in ten.
  private func appendTown(to trajectory: inout Trajectory, _ random: inout Random) {
    let radius = random.happens(0.5) ? .infinity : random.uniform(60...400) * (random.happens(0.5) ? 1 : -1)
    if random.happens(0.1) {
      trajectory.append(.change(to: 0, at: random.uniform(1...4)))
      trajectory.append(.steady(seconds: random.uniform(3...30)))
    }
    trajectory.append(.change(to: random.uniform(12...18), at: random.uniform(1...2.5)))
    trajectory.append(.steady(seconds: random.uniform(3...15), radius: radius))
  }

  private func appendRoad(to trajectory: inout Trajectory, bend: Double, _ random: inout Random) {
    if self == .traffic, random.happens(0.03) {
      trajectory.append(.change(to: random.uniform(0...20), at: random.uniform(1...3)))
      trajectory.append(.steady(seconds: random.uniform(5...30)))
    }
    trajectory.append(.change(to: 30, at: 1.5))
    trajectory.append(.steady(seconds: 100 / 30, radius: 1 / bend))
  }
}
