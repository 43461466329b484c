package import Base

/// A user's action on a push button, for example a press.
package enum ButtonAct: Hashable, Sendable {
  /// The button went down. The press is complete only at the release of the button, so the gateway must not send a
  /// location yet.
  case down(at: MonotonicInstant)
  /// The user released the button too early for a press, or level changes of the button were lost.
  case abandoned
  /// The user pressed and released the button, which is a press. The button was active for at least
  /// `Timing.shortestPress`, and for less than `Timing.hold`.
  case pressed(down: MonotonicInstant, up: MonotonicInstant)
  /// The user has held the button down for the time `Timing.hold` (`multiple` is 1), or for twice the time (`multiple`
  /// is 2). The release of the button then has no effect.
  case held(down: MonotonicInstant, at: MonotonicInstant, multiple: Int)
  /// The button has been active for a minute, for example because a contact is stuck. The button has no effect until
  /// its release, which is the action `recovered`.
  case stuck(since: MonotonicInstant)
  case recovered(at: MonotonicInstant)
}

/// The debouncer of a push button: a converter from level changes (edges) of a bouncing contact to the actions of a
/// user.
///
/// The first edge takes effect immediately, and starts a quiet window, in which further edges have no effect. At the
/// end of the window, the debouncer compares the level of the button with the level of the latest effective edge. If
/// the button is active when the debouncer is created, the button has no effect until its first release.
///
/// The debouncer has no clock: the caller passes edges and times, and receives actions. Before a call of
/// `advance(to:)`, the caller must pass all earlier edges to `handle`.
package struct Debouncer: Sendable {
  package struct Timing: Hashable, Sendable {
    /// The duration of the quiet window, 0...200 ms. The window begins at a level change (edge) that takes effect.
    /// Further edges in the window have no effect, because the contact bounces.
    package var quiet: Duration
    /// The minimum time between pressing and releasing the button. A shorter contact is not a press.
    package var shortestPress: Duration
    /// The time after which a pressed button counts as held, 1...10 s.
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
    /// The button is down since the instant `since`. `holds` is the count of actions `held` since this instant, 0...2.
    case down(since: MonotonicInstant, holds: Int)
    /// The button is active, but has no effect until its release. The button was already active at the start, or level
    /// changes (edges) were lost.
    case ignored(since: MonotonicInstant)
    case stuck
  }

  /// The time after which an active button counts as stuck, for example because of a broken contact.
  package static let stuckTime = Duration.seconds(60)

  package let timing: Timing
  private var state: State
  /// The latest known level of the button, which began at the instant `levelSince`.
  private var level: LineActivity
  private var levelSince: MonotonicInstant
  private var quietUntil: MonotonicInstant
  /// The total time for which the contact was closed since the button went down. The time does not include
  /// interruptions by bounces, or the time since the latest level change.
  private var activeTime: Duration = .zero

  package init(timing: Timing = Timing(), initially activity: LineActivity, at instant: MonotonicInstant) {
    self.timing = timing
    self.state = activity == .active ? .ignored(since: instant) : .up
    self.level = activity
    self.levelSince = instant
    self.quietUntil = instant
  }

  /// The instant at which the caller must call `advance(to:)`, unless the level of the button changes earlier; nil if
  /// no call is necessary.
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

  /// Processes a level change of the button, and returns the actions of the user. The function corrects a timestamp
  /// that is earlier than the latest change.
  package mutating func handle(_ edge: Edge) -> [ButtonAct] {
    let timestamp = max(edge.timestamp, levelSince)
    var acts = advance(to: timestamp)
    recordLevel(edge.activity, at: timestamp)
    if timestamp >= quietUntil { followLevel(at: timestamp, into: &acts) }
    return acts
  }

  /// Advances the debouncer to an instant, and returns the actions of the user. The caller must have passed all earlier
  /// level changes to `handle`.
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

  /// Processes a loss of level changes (edges), and returns the actions of the user. A press that is in progress
  /// becomes the action `abandoned`.
  ///
  /// - Parameter activity: the present level of the button.
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

  /// The instant at which the user pressed the button; nil if the button is not down.
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

  /// Changes the state of the debouncer according to the level of the button, and starts a quiet window. In the window,
  /// further level changes (edges) have no effect.
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
