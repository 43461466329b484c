import Base
import LineProtocol
import Logging
import Ports
import OperatingSystem

/// The state of the optional listeners. The gateway also works without them.
struct Listeners {
  private struct Condition {
    /// The reason why the listener is closed; nil while it is open.
    var fault: ListenError?
    /// The instant since which the listener is open or closed. The value is monotonic, because the wall clock may be
    /// set later.
    var since: MonotonicInstant
  }

  /// The listeners, by name, as in `gpsd:localhost:2947`.
  private var conditions: [String: Condition] = [:]

  /// Notes that a listener is open, or that it is closed because of a fault. The log gets a message for each change,
  /// and not for each attempt to open the listener.
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

  /// Returns the fault of the first closed listener of a kind, for example `page`; nil if no such listener is closed.
  func fault(of kind: String) -> ListenError? { closed.first { $0.name.hasPrefix("\(kind):") }?.fault }

  /// The number of closed listeners.
  var closedCount: Int { closed.count }

  private var closed: [(name: String, fault: ListenError, since: MonotonicInstant)] {
    conditions.sorted { $0.key < $1.key }.compactMap { name, condition in
      condition.fault.map { (name, $0, condition.since) }
    }
  }

  /// Adds the fields of the closed listeners to the reply to `STATUS`.
  /// - Parameter time: Returns the time of an instant; nil while the clock is wrong.
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
