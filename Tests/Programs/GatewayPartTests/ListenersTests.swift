import Base
import LineProtocol
import OperatingSystem
import Ports
import Testing

@testable import Gateway

@Suite struct ListenersTests {
  private let taken = ListenError(
    address: "127.0.0.1:2947", .taken, cause: "address already in use", remedy: "stop the other program")
  private let denied = ListenError(address: "127.0.0.1:2947", .denied, cause: "permission denied", remedy: "none")

  private func fields(_ listeners: Listeners, isClockRight: Bool = true) -> [String: String] {
    var fields: ServerLine.Fields = [:]
    listeners.addStatus(to: &fields) { isClockRight ? clock($0 - at(.zero)).utc : nil }
    return Dictionary(uniqueKeysWithValues: fields.pairs.map { ($0.key, $0.value) })
  }

  @Test func `the log has a message for each change, and not for each attempt`() {
    var listeners = Listeners()
    let closed = ["log warning: a listener is closed; the gateway tries to open it again"]
    #expect(lines { listeners.note("gpsd:localhost:2947", taken, at: at(.zero), &$0) } == closed)
    #expect(lines { listeners.note("gpsd:localhost:2947", taken, at: at(.seconds(1)), &$0) } == [])
    #expect(lines { listeners.note("gpsd:localhost:2947", denied, at: at(.seconds(2)), &$0) } == closed)
    #expect(
      lines { listeners.note("gpsd:localhost:2947", nil, at: at(.seconds(3)), &$0) }
        == ["log info: a listener is open"])
    #expect(lines { listeners.note("gpsd:localhost:2947", nil, at: at(.seconds(4)), &$0) } == [])
    #expect(lines { listeners.note("gpsd:localhost:2947", taken, at: at(.seconds(5)), &$0) } == closed)
  }

  @Test func `the status has the closed listeners only, with the cause and the time of the change`() {
    var listeners = Listeners()
    _ = lines { listeners.note("tcp:127.0.0.1:7447", nil, at: at(.zero), &$0) }
    _ = lines { listeners.note("page:localhost:8021", taken, at: at(.seconds(1)), &$0) }
    _ = lines { listeners.note("gpsd:localhost:2947", taken, at: at(.seconds(1)), &$0) }
    // A second cause is no new change.
    _ = lines { listeners.note("gpsd:localhost:2947", denied, at: at(.seconds(9)), &$0) }
    let since = clock(.seconds(1)).utc.iso8601
    #expect(
      fields(listeners) == [
        "listener-1": "gpsd:localhost:2947", "listener-1-fault": "denied", "listener-1-since": since,
        "listener-2": "page:localhost:8021", "listener-2-fault": "taken", "listener-2-since": since,
      ])
    #expect(fields(listeners, isClockRight: false).keys.allSatisfy { !$0.hasSuffix("-since") })
    #expect(listeners.closedCount == 2)
    #expect(listeners.fault(of: "page") == taken && listeners.fault(of: "tcp") == nil)
  }

  @Test func `the metrics have each listener`() {
    var listeners = Listeners()
    _ = lines { listeners.note("tcp:127.0.0.1:7447", nil, at: at(.zero), &$0) }
    _ = lines { listeners.note("gpsd:localhost:2947", taken, at: at(.zero), &$0) }
    let text = Exposition(listeners.families).text
    #expect(text.contains("onefix_listener_up{listener=\"tcp:127.0.0.1:7447\"} 1\n"))
    #expect(text.contains("onefix_listener_up{listener=\"gpsd:localhost:2947\"} 0\n"))
  }
}
