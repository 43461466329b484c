package import Clocks

/// What a person did with a button.
package enum ButtonAct: Hashable, Sendable {
  /// The button went down. Nothing may be given for it, but getting ready may start.
  case down(at: MonotonicInstant)
  /// What had gone down was no press: a glitch, or events were lost.
  case abandoned
  /// Active for at least 20 ms and released before the hold time.
  case pressed(down: MonotonicInstant, up: MonotonicInstant)
  /// Active for the hold time (`multiple` 1), and for as long again (`multiple` 2). Its release counts for nothing.
  case held(down: MonotonicInstant, at: MonotonicInstant, multiple: Int)
  /// Active for a minute: a contact that sticks, or something that lies on it. It counts for nothing until `recovered`.
  case stuck(since: MonotonicInstant)
  /// The button that was stuck has been released.
  case recovered(at: MonotonicInstant)
}

/// From the edges of a contact that bounces to what the person meant.
///
/// An edge is taken at once and opens a quiet window, in which further edges are only noted; what the line is at the
/// window's end counts. So a release takes effect without delay, and bouncing adds nothing. A line that is already
/// active at the start counts for nothing until it has been released.
///
/// A pure value: edges and times in, acts out. The caller reads all pending edges before it says that time has passed.
package struct Debouncer: Sendable {
  package struct Timing: Hashable, Sendable {
    /// Length of the quiet window after an edge that was taken. 0...200 ms; 20 ms unless configured.
    package var quiet: Duration
    /// What is active for less is a glitch. 20 ms by the contract.
    package var shortestPress: Duration
    /// From here on it is a hold and no press. 1...10 s; 3 s unless configured.
    package var hold: Duration

    package init(
      quiet: Duration = .milliseconds(20), shortestPress: Duration = .milliseconds(20), hold: Duration = .seconds(3)
    ) {
      self.quiet = quiet
      self.shortestPress = shortestPress
      self.hold = hold
    }
  }

  private enum State: Hashable, Sendable {
    /// Released.
    case up
    /// Down, counting: when it went down and how many hold times have been told.
    case down(since: MonotonicInstant, holds: Int)
    /// Active, but counting for nothing until released: at start, or after lost events.
    case ignored(since: MonotonicInstant)
    /// Active for so long that nobody means it.
    case stuck
  }

  /// What is active for that long is stuck.
  package static let stuckTime = Duration.seconds(60)

  package let timing: Timing
  private var state: State
  /// The line's level as last heard, and since when.
  private var level: LineActivity
  private var levelSince: MonotonicInstant
  private var quietUntil: MonotonicInstant
  /// How long the line was active since the act began, without the present stretch.
  private var activeTime: Duration = .zero

  package init(timing: Timing = Timing(), initially activity: LineActivity, at instant: MonotonicInstant) {
    self.timing = timing
    self.state = activity == .active ? .ignored(since: instant) : .up
    self.level = activity
    self.levelSince = instant
    self.quietUntil = instant
  }

  /// When `advance(to:)` has something to say if no edge comes; nil while nothing is under way.
  package var nextDeadline: MonotonicInstant? {
    let own: MonotonicInstant? =
      switch state {
      case .up, .stuck: nil
      case .ignored(let since): since + Self.stuckTime
      case .down(let since, let holds): since + (holds < 2 ? timing.hold * (holds + 1) : Self.stuckTime)
      }
    guard !isSettled else { return own }
    return own.map { min($0, quietUntil) } ?? quietUntil
  }

  /// Takes an edge. Edges come in the order of their timestamps; an earlier one counts as simultaneous with the last.
  package mutating func handle(_ edge: Edge) -> [ButtonAct] {
    let timestamp = max(edge.timestamp, levelSince)
    var acts = advance(to: timestamp)
    note(edge.activity, at: timestamp)
    if timestamp >= quietUntil { settle(at: timestamp, into: &acts) }
    return acts
  }

  /// Says that time has passed and that no edge before this instant is pending.
  package mutating func advance(to instant: MonotonicInstant) -> [ButtonAct] {
    var acts: [ButtonAct] = []
    while let deadline = nextDeadline, deadline <= instant {
      if !isSettled, quietUntil <= deadline {
        settle(at: quietUntil, into: &acts)
      } else {
        switch state {
        case .down(let since, let holds) where holds < 2:
          state = .down(since: since, holds: holds + 1)
          acts.append(.held(down: since, at: deadline, multiple: holds + 1))
        case .down(let since, _), .ignored(let since):
          state = .stuck
          acts.append(.stuck(since: since))
        case .up, .stuck:
          // Neither has a deadline of its own.
          return acts
        }
      }
    }
    return acts
  }

  /// Says that edges were lost: what was under way is no press.
  package mutating func lose(now activity: LineActivity, at instant: MonotonicInstant) -> [ButtonAct] {
    var acts: [ButtonAct] = []
    if case .down(_, 0) = state { acts.append(.abandoned) }
    let instant = max(instant, levelSince)
    if state == .stuck {
      if activity == .inactive { acts.append(.recovered(at: instant)) }
      state = activity == .active ? .stuck : .up
    } else {
      state = activity == .active ? .ignored(since: instant) : .up
    }
    level = activity
    levelSince = instant
    quietUntil = instant
    return acts
  }

  /// Whether a press or a hold is under way.
  package var isDown: Bool {
    if case .down = state { true } else { false }
  }

  /// Whether it has been active for so long that it counts for nothing.
  package var isStuck: Bool { state == .stuck }

  /// Whether the state agrees with the level.
  private var isSettled: Bool {
    switch state {
    case .up: level == .inactive
    case .down, .ignored, .stuck: level == .active
    }
  }

  private mutating func note(_ activity: LineActivity, at timestamp: MonotonicInstant) {
    guard activity != level else { return }
    if level == .active { activeTime += timestamp - levelSince }
    level = activity
    levelSince = timestamp
  }

  /// Lets the state follow the level.
  private mutating func settle(at instant: MonotonicInstant, into acts: inout [ButtonAct]) {
    guard !isSettled else { return }
    switch state {
    case .up:
      state = .down(since: levelSince, holds: 0)
      activeTime = .zero
      acts.append(.down(at: levelSince))
    case .down(let since, 0):
      state = .up
      acts.append(activeTime >= timing.shortestPress ? .pressed(down: since, up: levelSince) : .abandoned)
    case .down, .ignored:
      state = .up
    case .stuck:
      state = .up
      acts.append(.recovered(at: levelSince))
    }
    quietUntil = levelSince + timing.quiet
  }
}
