package import Clocks

/// An action of a user on a button.
package enum ButtonAct: Hashable, Sendable {
  /// The button went down. Preparations may start, but no disclosure is allowed yet.
  case down(at: MonotonicInstant)
  /// The last `down` did not begin a press: its edge was a glitch, or edges were lost.
  case abandoned
  /// The button was active for at least 20 ms and was released before the hold time.
  case pressed(down: MonotonicInstant, up: MonotonicInstant)
  /// The user has held the button for the hold time (`multiple` 1) or for twice the hold time (`multiple` 2). The later
  /// release has no effect.
  case held(down: MonotonicInstant, at: MonotonicInstant, multiple: Int)
  /// The button has been active for a minute, for example because a contact is stuck. The button has no effect until
  /// `recovered`.
  case stuck(since: MonotonicInstant)
  case recovered(at: MonotonicInstant)
}

/// A converter from the edges of a bouncing contact to the user's actions.
///
/// An edge takes effect immediately and starts a quiet window, in which further edges have no effect. At the end of the
/// window, the level of the line takes effect if it differs from the last effective edge. A line that is active at the
/// start has no effect until it becomes inactive.
///
/// The type is a pure value: the caller passes edges and times, and receives actions. Before the caller calls
/// `advance`, it must pass all edges before that instant to `handle`.
package struct Debouncer: Sendable {
  package struct Timing: Hashable, Sendable {
    /// The length of the quiet window, 0...200 ms. Edges in this window have no effect.
    package var quiet: Duration
    /// The minimum length of a press. A shorter press is a glitch.
    package var shortestPress: Duration
    /// The minimum length of a hold, 1...10 s.
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
    /// The button went down at `since`. `holds` is the number of reported hold times, 0...2.
    case down(since: MonotonicInstant, holds: Int)
    /// The button is active, but has no effect until its release, because it was active at the start or edges were
    /// lost.
    case ignored(since: MonotonicInstant)
    case stuck
  }

  /// The time after which an active button counts as stuck.
  package static let stuckTime = Duration.seconds(60)

  package let timing: Timing
  private var state: State
  /// The last known level of the line, and the instant of its last change.
  private var level: LineActivity
  private var levelSince: MonotonicInstant
  private var quietUntil: MonotonicInstant
  /// The time in which the line was active since the press began. A present active period is not included.
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

  /// Handles an edge. If the timestamp is earlier than the previous one, the previous timestamp is used.
  package mutating func handle(_ edge: Edge) -> [ButtonAct] {
    let timestamp = max(edge.timestamp, levelSince)
    var acts = advance(to: timestamp)
    recordLevel(edge.activity, at: timestamp)
    if timestamp >= quietUntil { followLevel(at: timestamp, into: &acts) }
    return acts
  }

  /// Handles the passing of time. The caller must have handled all earlier edges.
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

  /// Handles a loss of edges, which abandons a press in progress.
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

  /// Whether a press or a hold is in progress.
  package var isDown: Bool {
    if case .down = state { true } else { false }
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

  /// Changes the state to match the level of the line.
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
