import Authorization
import Clocks
import Disclosure
import LineProtocol
import Ports
import RecordingClients
import StateStore

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

extension Action: CustomStringConvertible {
  /// One short line for comparison.
  package var description: String {
    switch self {
    case .log(let message): "log \(message.level): \(message.text)"
    case .send(let line, let connection): "send \(connection.number) \(line.line)"
    case .refuse(let connection, let error, _): "refuse \(connection.number) \(error.code.slug)"
    case .recall(let connection, let kinds): "recall \(connection.number)\(kinds == .all ? "" : " some")"
    case .sendToReceiver(let bytes): "to receiver \(bytes.isEmpty ? "nothing" : "bytes")"
    case .becameReady: "ready"
    case .count(let event): "count \(event)"
    case .confirmEdges(let name): "confirm \(name)"
    case .buttonDown(let name, _): "down \(name)"
    case .buttonUp(let name): "up \(name)"
    case .press(let press): "press \(press.button) \((press.up - press.down).milliseconds)"
    case .hold(let hold): "hold \(hold.button) \(hold.multiple)"
    case .event(.edge): "edge"
    case .event(.regionCrossed(let app, let event)):
      "crossed \(app) \(event.region) \(event.isEntry ? "enter" : "exit")"
    case .accepted(let request, let session, _): "accepted \(request.number) \(session.number)"
    case .sessionEnded(let session, let app): "ended \(session.number) \(app)"
    case .endRequest(let request, let error): "end request \(request.number) \(error.code.slug)"
    case .refused(let answer, let app): "refused \(answer) \(app)"
    case .notifyOwners(let topic, let json): "owners \(topic.rawValue) \(json)"
    case .servePending: "serve pending"
    case .redeliver(let delivery): "redeliver \(delivery.messageID)"
    case .publish(let publication): "publish \(publication.fix.number)"
    case .reportCrossing(let crossing):
      "report \(crossing.app) \(crossing.event.region) \(crossing.event.isEntry ? "enter" : "exit")"
    case .close(let events):
      "close "
        + events.map { if case .outcome(let outcome, let entry) = $0 { "\(entry) \(outcome)" } else { "?" } }
        .joined(separator: ", ")
    case .settle(let fix, let outcome): "settle \(fix.number) \(outcome)"
    case .saveRegions(_, let change): change == nil ? "save regions" : "save changed regions"
    case .switchedOff: "switched off"
    default: "other"
    }
  }
}

extension [Action] {
  var lines: [String] { map(\.description) }
}
