import Base
import LineProtocol
import Ports
import RecordingClients
import Synchronization

@testable import Gateway

let a = AppID("a")!
let b = AppID("b")!

/// A time of a test: so long after its beginning, which is long after the start of the machine.
func at(_ time: Duration) -> MonotonicInstant { MonotonicInstant(nanoseconds: 1_000_000_000_000) + time }

/// The clocks of a test at a time: 07:22:30 at the beginning.
func clock(_ time: Duration = .zero) -> ClockReading {
  let beginning = UTCTime(
    date: UTCDate(year: 2026, month: 11, day: 21)!, timeOfDay: TimeOfDay(hour: 7, minute: 22, second: 30)!)
  let reading = ClockReading(monotonic: at(.zero), utc: beginning)
  return ClockReading(monotonic: at(time), utc: reading.utc(at: at(time)))
}

extension Policy {
  /// A policy with some changes to the standard one.
  init(_ change: (inout Policy) -> Void) {
    self.init()
    change(&self)
  }
}

/// A record of the calls of connections.
final class Record: Sendable {
  private let calls = Mutex<[String]>([])

  func connection(
    _ number: UInt64 = 1, role: ClientRole = .app, transport: Transport = .unix, broker: (any OutputSink)? = nil
  ) -> RecordingConnection {
    RecordingConnection(number, role: role, transport: transport, broker: broker) { call in
      let text =
        switch call {
        case .line(let line): "send \(number) \(line.line)"
        case .recall(let kinds): "recall \(number)\(kinds == .all ? "" : " some")"
        case .refuse(let error): "refuse \(number) \(error.code.slug)"
        case .once, .update: "a part sends no fix"
        }
      self.note(text)
    }
  }

  func note(_ call: String) { calls.withLock { $0.append(call) } }

  private func text(_ event: Metrics.Event) -> String {
    guard case .count(let counter, let app, let label) = event else { return "\(event)" }
    return ["count", "\(counter)", app?.name, label].compactMap(\.self).joined(separator: " ")
  }

  /// Returns one short line for each call of a connection during `body`, and after them the outputs.
  func lines(_ body: (inout Outputs) throws -> Void) rethrows -> [String] {
    calls.withLock { $0 = [] }
    var outputs = Outputs()
    try body(&outputs)
    return calls.withLock(\.self) + outputs.messages.map { "log \($0.level): \($0.text)" }
      + outputs.events.map { text($0.event) } + (outputs.isDeviceReady ? ["ready"] : [])
      + (outputs.isReceiverOff ? ["switched off"] : [])
  }
}

/// Returns one short line for each output of a part.
func lines(_ body: (inout Outputs) throws -> Void) rethrows -> [String] { try Record().lines(body) }
