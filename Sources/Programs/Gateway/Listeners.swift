import Base
import LineProtocol
import Logging
import OperatingSystem
import Ports

/// The state of the listeners (addresses that accept connections) that the configuration adds. The gateway also works
/// while a listener is closed.
struct Listeners {
  private struct Condition {
    /// The reason why the listener is closed; nil while the listener is open.
    var fault: ListenError?
    /// The instant at which the listener was last opened or closed. The instant is monotonic, because a program can set
    /// the wall clock.
    var since: MonotonicInstant
  }

  /// The state of each listener. The key is its name, as in `gpsd:localhost:2947`.
  private var conditions: [String: Condition] = [:]

  /// Records that a listener (an address that accepts connections) is open, or closed because of a fault. Only a change
  /// or a new fault is logged.
  mutating func note(_ name: String, _ fault: ListenError?, at now: MonotonicInstant, _ outputs: inout Outputs) {
    let former = conditions[name]
    let hasChanged = former.map { ($0.fault == nil) != (fault == nil) } ?? true
    conditions[name] = Condition(fault: fault, since: hasChanged ? now : former?.since ?? now)
    guard let fault else {
      if hasChanged { outputs.log(.server, .info, "a listener is open", ["listener": name]) }
      return
    }
    guard fault != former?.fault else { return }
    outputs.log(
      .server, .warning, "a listener is closed; the gateway tries to open it again",
      ["listener": name, "cause": fault.description])
  }

  /// Returns the fault of the first closed listener of a kind, such as `page`; nil if no listener of this kind is
  /// closed.
  func fault(of kind: String) -> ListenError? { closed.first { $0.name.hasPrefix("\(kind):") }?.fault }

  var closedCount: Int { closed.count }

  private var closed: [(name: String, fault: ListenError, since: MonotonicInstant)] {
    conditions.sorted { $0.key < $1.key }.compactMap { name, condition in
      condition.fault.map { (name, $0, condition.since) }
    }
  }

  /// Adds the closed listeners to the fields of the reply to the command `STATUS`.
  /// - Parameter time: Converts an instant to a time; returns nil while the wall clock is wrong.
  func addStatus(to fields: inout ServerLine.Fields, time: (MonotonicInstant) -> UTCTime?) {
    for (index, listener) in closed.enumerated() {
      let key = "listener-\(index + 1)"
      fields[key] = listener.name
      fields[key + "-fault"] = listener.fault.fault.rawValue
      fields[key + "-since"] = time(listener.since)?.iso8601
    }
  }

  var families: [MetricFamily] {
    [
      .gauge("onefix_listener_up", "Whether a listener is open.")
        .with(conditions.mapValues { $0.fault == nil ? 1 : 0 }, by: "listener")
    ]
  }
}
