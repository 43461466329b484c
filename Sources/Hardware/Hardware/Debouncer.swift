package import Base

/// An action of a user on a button.
package enum ButtonAct: Hashable, Sendable {
  /// The button went down. Preparations may start, but no disclosure is allowed yet.
  case down(at: MonotonicInstant)
  /// The previous `down` did not begin a press, because the button was active for too short a time, or because edges
  /// were lost.
  case abandoned
  /// The button was active for at least `Timing.shortestPress`, and was released before the hold time.
  case pressed(down: MonotonicInstant, up: MonotonicInstant)
  /// The user has held the button for the hold time (`multiple` is 1) or for twice the hold time (`multiple` is 2). The
  /// release of the button after a hold has no effect.
  case held(down: MonotonicInstant, at: MonotonicInstant, multiple: Int)
  /// The button has been active for a minute, for example because a contact is stuck. The button has no effect until
  /// the action `recovered`.
  case stuck(since: MonotonicInstant)
  case recovered(at: MonotonicInstant)
}

/// A converter from the edges of a bouncing contact to the user's actions.
///
/// An edge takes effect immediately and starts a quiet window, in which further edges have no effect. At the end of the
/// window, the level of the button takes effect if this level differs from the level of the latest effective edge. If
/// the button is active when the debouncer is created, the button has no effect until its first release.
///
/// The type is a pure value: the caller passes edges and times, and receives actions. Before a call of `advance(to:)`,
/// the caller must pass all edges that are earlier than the given instant to `handle`.
package struct Debouncer: Sendable {
  package struct Timing: Hashable, Sendable {
    /// The length of the quiet window, 0...200 ms. The quiet window begins at an edge that takes effect. Further edges
    /// in the window have no effect.
    package var quiet: Duration
    /// The minimum length of a press. If the button is active for a shorter time, no press is reported.
    package var shortestPress: Duration
    /// The minimum length of a hold (the hold time), 1...10 s.
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
    case up
    /// The button went down at `since`. `holds` is the number of actions `held` that were reported for this press,
    /// 0...2.
    case down(since: MonotonicInstant, holds: Int)
    /// The button is active, but has no effect until its release, because the button was active when the debouncer was
    /// created, or because edges were lost.
    case ignored(since: MonotonicInstant)
    case stuck
  }

  /// The time after which an active button counts as stuck.
  package static let stuckTime = Duration.seconds(60)

  package let timing: Timing
  private var state: State
  /// The latest known level of the button (`level`), and the instant of the latest change of the level (`levelSince`).
  private var level: LineActivity
  private var levelSince: MonotonicInstant
  private var quietUntil: MonotonicInstant
  /// The total time for which the button was active since the press began. If the button is active now, the time since
  /// the latest edge is not included.
  private var activeTime: Duration = .zero

  package init(timing: Timing = Timing(), initially activity: LineActivity, at instant: MonotonicInstant) {
    self.timing = timing
    self.state = activity == .active ? .ignored(since: instant) : .up
    self.level = activity
    self.levelSince = instant
    self.quietUntil = instant
  }

  /// The next instant at which `advance(to:)` changes the state if no edge arrives before; nil if the state has no
  /// deadline.
  package var nextDeadline: MonotonicInstant? {
    let own: MonotonicInstant? =
      switch state {
      case .up, .stuck: nil
      case .ignored(let since): since + Self.stuckTime
      case .down(let since, let holds): since + (holds < 2 ? timing.hold * (holds + 1) : Self.stuckTime)
      }
    guard !matchesLevel else { return own }
    return own.map { min($0, quietUntil) } ?? quietUntil
  }

  /// Handles an edge, and returns the user's actions. If the timestamp is earlier than the latest change of the level,
  /// the function uses the timestamp of that change.
  package mutating func handle(_ edge: Edge) -> [ButtonAct] {
    let timestamp = max(edge.timestamp, levelSince)
    var acts = advance(to: timestamp)
    recordLevel(edge.activity, at: timestamp)
    if timestamp >= quietUntil { followLevel(at: timestamp, into: &acts) }
    return acts
  }

  /// Advances the time to an instant, and returns the user's actions until this instant. The caller must have passed
  /// all earlier edges to `handle`.
  package mutating func advance(to instant: MonotonicInstant) -> [ButtonAct] {
    var acts: [ButtonAct] = []
    while let deadline = nextDeadline, deadline <= instant {
      if !matchesLevel, quietUntil <= deadline {
        followLevel(at: quietUntil, into: &acts)
      } else {
        switch state {
        case .down(let since, let holds) where holds < 2:
          state = .down(since: since, holds: holds + 1)
          acts.append(.held(down: since, at: deadline, multiple: holds + 1))
        case .down(let since, _), .ignored(let since):
          state = .stuck
          acts.append(.stuck(since: since))
        case .up, .stuck:
          return acts
        }
      }
    }
    return acts
  }

  /// Handles a loss of edges, and returns the user's actions. A press that has not been reported as a hold is
  /// abandoned.
  package mutating func loseEdges(now activity: LineActivity, at instant: MonotonicInstant) -> [ButtonAct] {
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

  /// The down edge of the press or hold in progress; nil if there is none.
  package var downSince: MonotonicInstant? {
    if case .down(let since, _) = state { since } else { nil }
  }

  package var isStuck: Bool { state == .stuck }

  private var matchesLevel: Bool {
    switch state {
    case .up: level == .inactive
    case .down, .ignored, .stuck: level == .active
    }
  }

  private mutating func recordLevel(_ activity: LineActivity, at timestamp: MonotonicInstant) {
    guard activity != level else { return }
    if level == .active { activeTime += timestamp - levelSince }
    level = activity
    levelSince = timestamp
  }

  /// Changes the state to match the level of the button.
  private mutating func followLevel(at instant: MonotonicInstant, into acts: inout [ButtonAct]) {
    guard !matchesLevel else { return }
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
