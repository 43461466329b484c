import Authorization
import Base
import Hardware
import Logging
import OperatingSystem

/// Converts the edges of the board's buttons to presses and holds.
struct Buttons {
  private struct State {
    let profile: ButtonProfile
    /// The debouncer of the button; nil until the first level is known.
    var debouncer: Debouncer?
    /// The cause of the loss of the button; nil while the button is present.
    var fault: String?
    /// Whether the gateway waits for the event `confirmed` of the button's input.
    var isConfirming = false

    var nextDeadline: MonotonicInstant? { isConfirming ? nil : debouncer?.nextDeadline }

    var faultName: String? { fault != nil ? "absent" : debouncer?.isStuck == true ? "stuck" : nil }
  }

  /// The maximum time from an edge (a change of the button's level) to its delivery by the kernel. A confirmation
  /// covers only edges that are older. Without this time, a release just before the hold time could count as a hold.
  static let transit: Duration = .milliseconds(5)

  private var states: [String: State]

  init(_ profiles: [ButtonProfile]) {
    states = Dictionary(profiles.map { ($0.name, State(profile: $0)) }) { first, _ in first }
  }

  var nextDeadline: MonotonicInstant? {
    states.values.compactMap(\.nextDeadline).min().map { $0 + Self.transit }
  }

  /// Takes an event of a button's input.
  /// - Returns: The acts of the person that are known after this event.
  mutating func take(_ event: EdgeEvent, of name: String, _ outputs: inout Outputs) -> [ButtonAct] {
    guard var state = states[name] else { return [] }
    defer { states[name] = state }
    switch event {
    case .initial(let activity, let instant):
      if state.fault != nil { outputs.log(.button, .notice, "button present again", ["button": name]) }
      state.fault = nil
      state.isConfirming = false
      outputs.isDeviceReady = true
      guard state.debouncer == nil else { return state.debouncer?.loseEdges(now: activity, at: instant) ?? [] }
      state.debouncer = Debouncer(timing: state.profile.timing, initially: activity, at: instant)
      return []
    case .edge(let edge): return state.debouncer?.handle(edge) ?? []
    case .lost(let activity, let instant):
      outputs.log(
        .button, .warning, "button events were lost: the current press has no effect", ["button": name])
      return state.debouncer?.loseEdges(now: activity, at: instant) ?? []
    case .confirmed(let instant):
      state.isConfirming = false
      return state.debouncer?.advance(to: instant - Self.transit) ?? []
    }
  }

  /// Records that a button was lost, and discards a press in progress.
  mutating func lose(
    _ name: String, cause: String, at now: MonotonicInstant, _ outputs: inout Outputs
  ) -> [ButtonAct] {
    guard let state = states[name] else { return [] }
    if state.fault != cause {
      outputs.log(.button, .warning, "button absent", ["button": name, "cause": cause])
    }
    states[name]?.fault = cause
    states[name]?.isConfirming = false
    return states[name]?.debouncer?.loseEdges(now: .inactive, at: now) ?? []
  }

  /// Handles the deadlines of the buttons, for example the hold time. A late gateway may not yet have received the
  /// release of a button. Then the deadline takes effect only after the input has confirmed that no earlier edge
  /// follows.
  /// - Parameter confirm: asks the input of the named button for this confirmation.
  /// - Returns: The acts of the person, by the name of the button.
  mutating func pass(
    to now: MonotonicInstant, confirm: (_ name: String) -> Void
  ) -> [(name: String, acts: [ButtonAct])] {
    states.keys.sorted().compactMap { name in
      guard let deadline = states[name]?.nextDeadline, deadline + Self.transit <= now else { return nil }
      guard now <= deadline + Self.transit * 4 else {
        states[name]?.isConfirming = true
        confirm(name)
        return nil
      }
      return (name, states[name]?.debouncer?.advance(to: now - Self.transit) ?? [])
    }
  }

  // MARK: State

  /// Whether the first level of every button is known.
  var areReady: Bool { states.values.allSatisfy { $0.debouncer != nil } }

  func isReady(_ name: String) -> Bool { states[name]?.debouncer != nil }

  /// Returns the time for which a button is down, and its hold time. Returns nil if no button is down.
  func progress(at now: MonotonicInstant) -> (time: Duration, hold: Duration)? {
    states.values.lazy.compactMap { state in
      state.debouncer?.downSince.map { (max(.zero, now - $0), state.profile.timing.hold) }
    }.first
  }

  var hasFault: Bool { states.values.contains { $0.faultName != nil } }

  /// The faults of buttons, as in `main:stuck`; nil if all buttons work.
  var faults: String? {
    states.sorted { $0.key < $1.key }.compactMap { name, state in state.faultName.map { "\(name):\($0)" } }.fieldValue
  }

  /// The value 1 for each button that works, and 0 for each other button.
  var goodness: [String: Int] { states.mapValues { $0.faultName == nil ? 1 : 0 } }
}
