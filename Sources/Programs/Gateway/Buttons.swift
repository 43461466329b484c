import Authorization
import Clocks
import Hardware
import LineProtocol
import Logging
import OperatingSystem

/// A button as the gateway follows it.
struct ButtonState {
  let profile: ButtonProfile
  /// Nil until the input has told how the line is.
  var debouncer: Debouncer?
  /// The button is down and an app waits that its release would serve: the indicator says so already.
  var isGettingReady = false
  /// Why it cannot be read; nil while it can.
  var fault: String?

  /// An edge may be on its way when a deadline is reached; it is waited for that long, so that a release just before the
  /// hold time is not taken for a hold.
  static let transit: Duration = .milliseconds(5)

  var nextDeadline: MonotonicInstant? { debouncer?.nextDeadline.map { $0 + Self.transit } }
}

/// Edges to presses, presses to the authorization.
extension Gateway {
  /// Reads a button until the surrounding task is cancelled. One that has gone is looked for until it is back.
  /// - Throws: `HardwareError` when its line cannot be had at the start.
  func follow(_ button: Setup.Button) async throws {
    let name = button.profile.name
    while !Task.isCancelled {
      do {
        try await button.input.run { event in await self.take(event, of: name) }
        return
      } catch is CancellationError {
        return
      } catch {
        guard readiness.buttons.contains(name) else { throw error }
        lost(name, cause: "\(error)")
      }
      try await SystemClock.sleep(until: SystemClock.monotonic + Self.retryTime)
    }
  }

  /// A button has gone: what was under way with it is no press.
  private func lost(_ name: String, cause: String) {
    guard var state = buttons[name] else { return }
    if state.fault != cause {
      loggers.button.warning("button absent", metadata: ["button": "\(name)", "cause": "\(cause)"])
    }
    state.fault = cause
    let acts = state.debouncer?.lose(now: .inactive, at: SystemClock.monotonic) ?? []
    buttons[name] = state
    take(acts, of: name)
    settle(at: SystemClock.monotonic)
  }

  private func take(_ event: EdgeEvent, of name: String) {
    guard var state = buttons[name] else { return }
    let acts: [ButtonAct]
    switch event {
    case .initial(let activity, let instant):
      if state.debouncer == nil {
        state.debouncer = Debouncer(timing: state.profile.timing, initially: activity, at: instant)
        acts = []
        readiness.buttons.insert(name)
      } else {
        acts = state.debouncer?.lose(now: activity, at: instant) ?? []
      }
      if state.fault != nil { loggers.button.notice("button back", metadata: ["button": "\(name)"]) }
      state.fault = nil
    case .edge(let edge):
      // A finger is at work: no prompt opens under it.
      handle(.edge(edge.timestamp))
      acts = state.debouncer?.handle(edge) ?? []
    case .lost(let activity, let instant):
      loggers.button.warning("button events were lost; what was under way is no press", metadata: ["button": "\(name)"])
      acts = state.debouncer?.lose(now: activity, at: instant) ?? []
    }
    buttons[name] = state
    take(acts, of: name)
    announceReadiness()
  }

  /// What is wrong with buttons, as in `main:stuck`; nil where nothing is.
  var buttonFaults: String? {
    let faults = buttons.sorted { $0.key < $1.key }.compactMap { name, state in
      state.fault != nil ? "\(name):absent" : state.debouncer?.isStuck == true ? "\(name):stuck" : nil
    }
    return faults.isEmpty ? nil : faults.joined(separator: ",")
  }

  /// What is wrong with a button's label; nil where nothing is.
  var labelRestriction: LegibilityRestriction? {
    setup.buttons.lazy.compactMap { $0.profile.restrictions.first }.first
  }

  /// What keeps a person from seeing that location is in use, or from knowing the button that ends it; nil where nothing
  /// does. (C6)
  var restriction: LegibilityRestriction? { indicator.restriction ?? labelRestriction }

  func advanceButtons(to now: MonotonicInstant) {
    for name in buttons.keys {
      if let acts = buttons[name]?.debouncer?.advance(to: now - ButtonState.transit), !acts.isEmpty {
        take(acts, of: name)
      }
    }
  }

  private func take(_ acts: [ButtonAct], of name: String) {
    for act in acts {
      switch act {
      case .down(let instant):
        buttons[name]?.isGettingReady = authorization.expectsPress(of: name, down: instant)
        settle(at: SystemClock.monotonic)
      case .abandoned:
        buttons[name]?.isGettingReady = false
        settle(at: SystemClock.monotonic)
      case .pressed(let down, let up):
        buttons[name]?.isGettingReady = false
        lastPressOutcome = .nothing
        lastRelease = up
        let restriction = buttons[name]?.profile.restrictions.first ?? indicator.restriction
        handle(
          .pressed(Press(button: name, down: down, up: up), illegible: restriction?.rawValue, showsText: showsPrompts))
        // It was taken as of its release; this takes what became due since.
        handle(.timePassed)
        counts.presses[lastPressOutcome.rawValue, default: 0] += 1
      case .held(let down, _, let multiple):
        buttons[name]?.isGettingReady = false
        if multiple == 1 {
          lastPressOutcome = .nothing
          counts.holds += 1
        }
        handle(.held(Hold(button: name, down: down, multiple: multiple)))
      case .stuck:
        loggers.button.warning(
          "button stuck: it counts for nothing until it is released",
          metadata: ["button": "\(name)", "remedy": "does something lie on it? is active_low right?"])
        settle(at: SystemClock.monotonic)
      case .recovered:
        loggers.button.notice("button released: it counts again", metadata: ["button": "\(name)"])
        settle(at: SystemClock.monotonic)
      }
    }
  }

  /// Presses the first simulated button, for somebody at the board itself.
  /// - Throws: `LineError` where there is none, or it may not be pressed.
  package func pressButton(isHold: Bool = false) async throws {
    _ = try await press(nil, for: nil, isHold: isHold)
  }

  /// Presses a simulated button and returns what it has done, and of a press when the button went up.
  /// - Throws: `LineError` where there is none, or it may not be pressed.
  func press(
    _ name: String?, for length: Duration?, isHold: Bool
  ) async throws -> (outcome: PressOutcome, release: MonotonicInstant?) {
    if let refusal = setup.simulatedPressRefusal { throw LineError(.badArgument, refusal) }
    guard let button = setup.buttons.first(where: { name == nil || $0.profile.name == name }), let press = button.press
    else {
      let known = setup.buttons.map(\.profile.name).joined(separator: ", ")
      throw LineError(.badArgument, "there is no simulated button of that name; the board has: \(known)")
    }
    let hold = button.profile.timing.hold + ButtonState.transit * 4
    lastRelease = nil
    try await press(isHold ? hold : length ?? .milliseconds(100))
    return (lastPressOutcome, lastRelease)
  }
}
