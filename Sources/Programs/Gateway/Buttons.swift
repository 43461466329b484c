import Base
import Hardware
import Logging
import OperatingSystem

/// Converts the edges (changes of the level) of the buttons to presses and holds (long presses).
struct Buttons {
  private struct State {
    let profile: ButtonProfile
    /// The state machine that filters the bounce of the button contact; nil until the gateway knows the first level of
    /// the button.
    var debouncer: Debouncer?
    /// The reason why the button cannot be read; nil if the button works.
    var fault: String?
    /// Whether the gateway waits for a confirmation of the button input that no earlier edge (a change of the level)
    /// follows.
    var isConfirming = false

    var nextDeadline: MonotonicInstant? { isConfirming ? nil : debouncer?.nextDeadline }

    var faultName: String? { fault != nil ? "absent" : debouncer?.isStuck == true ? "stuck" : nil }
  }

  /// The maximum delay from an edge (a change of the level of a button) to its delivery by the kernel. A deadline of a
  /// button takes effect only after this delay. Otherwise a release just before the end of the hold time could count as
  /// a hold (long press).
  static let transit: Duration = .milliseconds(5)

  private var states: [String: State]

  init(_ profiles: [ButtonProfile]) {
    states = Dictionary(profiles.map { ($0.name, State(profile: $0)) }) { first, _ in first }
  }

  var nextDeadline: MonotonicInstant? {
    states.values.compactMap(\.nextDeadline).min().map { $0 + Self.transit }
  }

  /// Handles an event of the named button.
  /// - Returns: The presses and holds (long presses) that this event completes.
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

  /// Records that a button can no longer be read, and drops the present press of this button.
  mutating func lose(
    _ name: String, cause: String, at now: MonotonicInstant, _ outputs: inout Outputs
  ) -> [ButtonAct] {
    guard let state = states[name] else { return [] }
    if state.fault != cause {
      outputs.log(.button, .warning, "button absent", ["button": name, "cause": cause])
    }
    states[name]?.fault = cause
    states[name]?.isConfirming = false
    let acts = states[name]?.debouncer?.loseEdges(now: .inactive, at: now) ?? []
    // A stuck button that can no longer be read has not been released.
    return acts.filter { if case .recovered = $0 { false } else { true } }
  }

  /// Handles the deadlines of the buttons that have passed, for example the end of the hold time.
  ///
  /// If the gateway is late, the release of a button may still wait in the input. The deadline then takes effect only
  /// after the input has confirmed that no earlier edge (a change of the level) follows.
  /// - Parameter confirm: The function that asks the input of the named button for this confirmation.
  /// - Returns: The presses and holds (long presses), with the name of the button.
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

  /// Whether the gateway knows the level of every button.
  var areReady: Bool { states.values.allSatisfy { $0.debouncer != nil } }

  func isReady(_ name: String) -> Bool { states[name]?.debouncer != nil }

  /// Returns the time for which a button is already pressed, and its hold time; nil if no button is pressed.
  func progress(at now: MonotonicInstant) -> (time: Duration, hold: Duration)? {
    states.values.lazy.compactMap { state in
      state.debouncer?.downSince.map { (max(.zero, now - $0), state.profile.timing.hold) }
    }.first
  }

  /// Whether at least one button cannot be read. A stuck button is not included, because it is a long press.
  var isAnyAbsent: Bool { states.values.contains { $0.fault != nil } }

  /// The text with the name and the fault of each button that does not work, as in `main:stuck`; nil if all buttons
  /// work.
  var faults: String? {
    states.sorted { $0.key < $1.key }.compactMap { name, state in state.faultName.map { "\(name):\($0)" } }.fieldValue
  }

  /// The value of the metric of each button: 1 if the button works, otherwise 0. The key is the name of the button.
  var goodness: [String: Int] { states.mapValues { $0.faultName == nil ? 1 : 0 } }
}
