#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How the velocity has been changing: what it does next while nobody measures it.
struct Manoeuvre: Hashable, Sendable {
  /// Below this speed, m/s, a direction is mostly noise.
  private static let least = 2.0
  /// A step of the way, seconds.
  private static let step = 1.0

  /// Radians per second, from the plane's first axis to its second.
  private var turn = 0.0
  /// Metres per second squared, along the way.
  private var push = 0.0

  mutating func add(from last: Offset?, to next: Offset?, after seconds: Double, _ parameters: FilterParameters) {
    guard let last, let next, min(last.length, next.length) > Self.least else {
      (turn, push) = (0, 0)
      return
    }
    let share = min(1, seconds / parameters.manoeuvreMean)
    let angle = atan2(last.x * next.y - last.y * next.x, last.x * next.x + last.y * next.y)
    turn += (angle / seconds - turn) * share
    push += ((next.length - last.length) / seconds - push) * share
  }

  /// The way in so many seconds, and the velocity at its end: turn and push fade.
  func coasted(_ seconds: Double, from start: Offset, _ parameters: FilterParameters) -> (way: Offset, end: Offset) {
    let speed = start.length
    guard speed > 0 else { return (.zero, .zero) }
    // Fast roads are straight and free: their bends are long, and nobody stops.
    let fastness = max(1, speed / parameters.coastingSpeeds.upperBound)
    let fading = min(parameters.turnTime, parameters.mostTurn * fastness * fastness / max(abs(turn), 1e-6))
    let stopping = parameters.stopTime * fastness * fastness * fastness * fastness
    func velocity(after time: Double) -> Offset {
      let angle = turn * fading * (1 - exp(-time / fading))
      let pushed = max(0, speed + push * parameters.pushTime * (1 - exp(-time / parameters.pushTime)))
      let scale: Double = pushed * exp(-time / stopping) / speed
      let sine: Double = sin(angle) * scale
      let cosine: Double = cos(angle) * scale
      return Offset(x: start.x * cosine - start.y * sine, y: start.x * sine + start.y * cosine)
    }
    let steps = (seconds / Self.step).rounded(.up)
    var way = Offset.zero
    var index = 0.5
    while index < steps {
      way = way + velocity(after: index * seconds / steps) * (seconds / steps)
      index += 1
    }
    return (way, velocity(after: seconds))
  }
}
