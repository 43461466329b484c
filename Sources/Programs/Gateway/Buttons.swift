import Authorization
import Clocks
import Hardware
import Logging
import Telemetry

/// The buttons of the board. They convert the edges of GPIO lines to presses and holds.
struct Buttons {
  enum Input {
    case event(EdgeEvent, of: String)
    case absent(String, cause: String)
    case timePassed
  }

  private struct State {
    let profile: ButtonProfile
    /// The debouncer of the button; nil until the first level is known.
    var debouncer: Debouncer?
    var fault: String?
    /// Whether a confirmation of the edges is expected.
    var isConfirming = false

    var nextDeadline: MonotonicInstant? { isConfirming ? nil : debouncer?.nextDeadline }

    var faultName: String? { fault != nil ? "absent" : debouncer?.isStuck == true ? "stuck" : nil }
  }

  /// The maximum time from an edge (a change of the button's level) to its delivery by the kernel. A confirmation covers
  /// only edges that are older. Without this time, a release just before the hold time could count as a hold.
  static let transit: Duration = .milliseconds(5)

  private var states: [String: State]

  init(_ profiles: [ButtonProfile]) {
    states = Dictionary(profiles.map { ($0.name, State(profile: $0)) }) { first, _ in first }
  }

  mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Action] {
    switch input {
    case .event(let event, let name): handle(event, of: name)
    case .absent(let name, let cause): lose(name, cause, at: now)
    case .timePassed: states.keys.sorted().flatMap { pass($0, to: now) }
    }
  }

  var nextDeadline: MonotonicInstant? {
    states.values.compactMap(\.nextDeadline).min().map { $0 + Self.transit }
  }

  private mutating func handle(_ event: EdgeEvent, of name: String) -> [Action] {
    guard var state = states[name] else { return [] }
    var actions: [Action] = []
    let acts: [ButtonAct]
    switch event {
    case .initial(let activity, let instant):
      if state.debouncer == nil {
        state.debouncer = Debouncer(timing: state.profile.timing, initially: activity, at: instant)
        acts = []
      } else {
        acts = state.debouncer?.loseEdges(now: activity, at: instant) ?? []
      }
      if state.fault != nil {
        actions.append(.log(LogMessage(.button, .notice, "button present again", ["button": name])))
      }
      state.fault = nil
      state.isConfirming = false
      actions.append(.becameReady)
    case .edge(let edge):
      // The authorization receives each edge, because no prompt may open while a person is pressing or releasing a
      // button.
      actions.append(.event(.edge(edge.timestamp)))
      acts = state.debouncer?.handle(edge) ?? []
    case .lost(let activity, let instant):
      actions.append(
        .log(
          LogMessage(
            .button, .warning, "button events were lost: the current press has no effect", ["button": name])))
      acts = state.debouncer?.loseEdges(now: activity, at: instant) ?? []
    case .confirmed(let instant):
      state.isConfirming = false
      acts = state.debouncer?.advance(to: instant - Self.transit) ?? []
    }
    states[name] = state
    return actions + acts.flatMap { act in self.actions(for: act, of: name) }
  }

  /// Records that a button was lost, and discards a press in progress.
  private mutating func lose(_ name: String, _ cause: String, at now: MonotonicInstant) -> [Action] {
    guard let state = states[name] else { return [] }
    let isNew = state.fault != cause
    states[name]?.fault = cause
    states[name]?.isConfirming = false
    let acts = states[name]?.debouncer?.loseEdges(now: .inactive, at: now) ?? []
    let log =
      isNew ? [Action.log(LogMessage(.button, .warning, "button absent", ["button": name, "cause": cause]))] : []
    return log + acts.flatMap { self.actions(for: $0, of: name) }
  }

  /// Handles a deadline of the button. If the gateway is late, it may not yet have received the release of the button.
  /// The deadline then takes effect only after a confirmation of the edges.
  private mutating func pass(_ name: String, to now: MonotonicInstant) -> [Action] {
    guard let deadline = states[name]?.nextDeadline, deadline + Self.transit <= now else { return [] }
    guard now <= deadline + Self.transit * 4 else {
      states[name]?.isConfirming = true
      return [.confirmEdges(name)]
    }
    return (states[name]?.debouncer?.advance(to: now - Self.transit) ?? []).flatMap { actions(for: $0, of: name) }
  }

  private func actions(for act: ButtonAct, of name: String) -> [Action] {
    switch act {
    case .down(let instant): [.buttonDown(name, instant)]
    case .abandoned: [.buttonUp(name)]
    case .pressed(let down, let up): [.buttonUp(name), .press(Press(button: name, down: down, up: up))]
    case .held(let down, _, let multiple):
      [.buttonUp(name), .hold(Hold(button: name, down: down, multiple: multiple))]
    case .stuck:
      [
        .log(
          LogMessage(
            .button, .warning, "button stuck: it has no effect until it is released",
            ["button": name, "remedy": "is an object on the button? is active_low right?"]))
      ]
    case .recovered: [.log(LogMessage(.button, .notice, "button released: it has effect again", ["button": name]))]
    }
  }

  // MARK: State

  var areReady: Bool { states.values.allSatisfy { $0.debouncer != nil } }

  func isReady(_ name: String) -> Bool { states[name]?.debouncer != nil }

  var isDown: Bool { states.values.contains { $0.debouncer?.isDown ?? false } }

  var hasFault: Bool { states.values.contains { $0.faultName != nil } }

  /// The faults of buttons, as in `main:stuck`; nil if all buttons work.
  var faults: String? {
    let faults = states.sorted { $0.key < $1.key }.compactMap { name, state in state.faultName.map { "\(name):\($0)" } }
    return faults.isEmpty ? nil : faults.joined(separator: ",")
  }

  /// The value 1 for each button that works, and 0 for each other button.
  var goodness: [String: Int] { states.mapValues { $0.faultName == nil ? 1 : 0 } }
}
