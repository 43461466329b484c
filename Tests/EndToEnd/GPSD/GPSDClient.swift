import Foundation
import Glibc
import Testing

/// A report that a client of gpsd received.
struct GPSDReport: Sendable {
  struct NoReport: Error { var line: String }

  let line: String
  let kind: String
  let mode: Int?
  let latitude: Double?
  let longitude: Double?
  /// Metres above mean sea level.
  let altitude: Double?
  /// Metres per second.
  let speed: Double?
  let members: Set<String>
  let satellites: Int?

  init(_ line: String) throws {
    guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
      let kind = object["class"] as? String
    else { throw NoReport(line: line) }
    self.line = line
    self.kind = kind
    let position = (object["tpv"] as? [[String: Any]])?.first ?? object
    func number(_ member: String) -> Double? { (position[member] as? NSNumber)?.doubleValue }
    mode = (position["mode"] as? NSNumber)?.intValue
    latitude = number("lat")
    longitude = number("lon")
    altitude = number("altMSL")
    speed = number("speed")
    members = Set(position.keys)
    satellites = (object["satellites"] as? [Any])?.count
  }

  var hasPosition: Bool { line.contains("\"lat\"") }
}

/// A client of gpsd over any transport.
struct GPSDClient {
  let carrier: any Carrier

  var received: [String] { carrier.output.value.lines }

  func reports() throws -> [GPSDReport] { try received.map { try GPSDReport($0) } }

  /// Returns the reports with a position so far.
  func positions() throws -> [GPSDReport] { try reports().filter(\.hasPosition) }

  func write(_ line: String) { write(unended: "\(line)\n") }

  /// Sends text without a line end.
  func write(unended text: String) { carrier.write(Array(text.utf8)) }

  /// Waits until the client has received a report that satisfies the condition.
  @discardableResult
  func wait<Found>(for what: String, _ find: ([GPSDReport]) throws -> Found?) async throws -> Found {
    try await carrier.output.first(what) { received in
      let reports = try received.lines.map { try GPSDReport($0) }
      if let found = try find(reports) { return found }
      if received.isOver { throw Peer.HungUp(received: received) }
      return nil
    }
  }

  /// Waits until the client has received a number of reports of a class.
  func wait(for kind: String, count: Int = 1) async throws {
    try await wait(for: "\(count) \(kind)") { $0.count { $0.kind == kind } >= count ? true : nil }
  }

  /// Waits until the client has received a number of further reports without a fix.
  func waitForNoFix(more count: Int = 1) async throws {
    let before = try reports().count { $0.mode == 1 && $0.kind == "TPV" }
    try await wait(for: "no fix") { reports in
      reports.count { $0.mode == 1 && $0.kind == "TPV" } >= before + count ? true : nil
    }
  }
}

extension Daemon {
  /// Returns the configuration of the apps for clients of gpsd. The user of the tests is `sailor`. The other apps have
  /// their own users.
  static func gpsd(address: String = "127.0.0.1:0") -> String {
    """
    [gpsd_server]
    address = "\(address)"
    apps = ["sailor", "guest"]
    [[app]]
    id = "sailor"
    uid = \(getuid())
    accuracy = "full"
    [[app]]
    id = "guest"
    uid = 4242

    """
  }

  /// Runs the body of a test with a daemon that has a server for clients of gpsd.
  static func withGPSD(_ body: (Daemon) async throws -> Void) async throws {
    let daemon = try await start(configuration: gpsd(), ["--log-level", "info"])
    try await body(daemon)
    try await daemon.stopChecked()
  }

  /// Connects a client over IPv4.
  func gpsdClient() async throws -> GPSDClient {
    let address = try address("gpsd")
    let client = GPSDClient(carrier: try TCPConnection(address.host, address.port))
    try await client.wait(for: "VERSION")
    return client
  }

  /// Connects a client that watches, and returns when its app is armed.
  func watching(_ settings: String = #"{"enable":true,"json":true}"#, app: String = "sailor") async throws -> GPSDClient
  {
    let client = try await gpsdClient()
    client.write("?WATCH=\(settings)")
    try await armed(app)
    return client
  }

  /// Waits until an app is armed.
  func armed(_ app: String = "sailor", times: Int = 1) async throws {
    try await process.reported("accepted", "app=\(app)", times: times)
  }

  /// Starts Debian's `gpspipe -w`.
  func gpspipe(_ before: [String] = []) throws -> GPSDClient {
    let address = try address("gpsd")
    let words = before + ["gpspipe", "-w", "\(address.host):\(address.port)"]
    return GPSDClient(carrier: try Child(words[0], Array(words.dropFirst())))
  }

  /// Presses until an app was served a number of times.
  func pressed(serving app: String = "sailor", times: Int = 1) async throws {
    var count = try await served(app)
    while count < times {
      try await press(until: ["served", "granted"])
      count = try await eventually("one more fix of \(app)") { [count] in
        let new = try await served(app)
        return new > count ? new : nil
      }
    }
  }

  /// Returns how often an app received a one-time fix.
  func served(_ app: String = "sailor") async throws -> Int {
    try await log().count { $0.contains(#""event":"disclosure""#) && $0.contains("\"app\":\"\(app)\"") }
  }
}
