import Glibc
import Testing

/// A program that reads NMEA sentences as from a receiver.
struct NMEAClient {
  let carrier: any Carrier

  /// All sentences so far.
  var received: [String] { carrier.output.value.lines.map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 } }

  /// The sentences with a position so far.
  var positions: [String] { received.filter { $0.hasPrefix("$GNGGA,") } }

  /// Waits until the client has received as many sentences with a position.
  @discardableResult
  func position(count: Int = 1) async throws -> String {
    try await carrier.output.first("\(count) positions") { received in
      if let last = positions.dropFirst(count - 1).first { return last }
      if received.isOver { throw Peer.HungUp(received: received) }
      return nil
    }
  }

  /// Waits for further sentences without a fix.
  func noFix(more count: Int = 1) async throws {
    let before = received.count(where: Self.isVoid)
    _ = try await carrier.output.first("no fix") { received in
      if received.isOver { throw Peer.HungUp(received: received) }
      return self.received.count(where: Self.isVoid) >= before + count ? true : nil
    }
  }

  /// The sentence without a fix.
  static let void = "$GNRMC,,V,,,,,,,,,,N*4D"

  static func isVoid(_ sentence: String) -> Bool { sentence == void }
}

/// The endpoint to which a program connects.
enum NMEAEndpoint: CaseIterable {
  case socket
  case address
}

extension Daemon {
  /// Runs the body of a test with a daemon that has a socket and an address for readers of sentences. The user of the
  /// tests is the app `plotter`; the user 4242 is the app `guest` at another address.
  static func withNMEA(
    accuracy: String = "full", more: String = "", _ body: (Daemon) async throws -> Void
  ) async throws {
    let folder = try Folder()
    let configuration = """
      [[nmea]]
      socket = "\(folder.path("nmea"))"
      app = "plotter"
      \(more)
      [[nmea]]
      address = "127.0.0.1:0"
      app = "plotter"
      \(more)
      [[app]]
      id = "plotter"
      uid = \(getuid())
      accuracy = "\(accuracy)"

      """
    let daemon = try await start(in: folder, configuration: configuration, ["--log-level", "info"])
    try await body(daemon)
    let end = try await daemon.stop()
    #expect(end.end == .exit(0), "\(end.errors)")
    #expect(!folder.has("nmea"), "the daemon removes its socket")
  }

  /// The port of the address for readers of sentences.
  func nmeaPort() throws -> String {
    let ready = try #require(process.errors.value.lines.first { $0.hasPrefix("READY ") })
    return String(try #require(ready.firstMatch(of: /nmea=127\.0\.0\.1:(\d+)/)).1)
  }

  func nmeaClient(_ endpoint: NMEAEndpoint) throws -> NMEAClient {
    switch endpoint {
    case .socket: NMEAClient(carrier: try Child("nc", ["-U", folder.path("nmea")]))
    case .address: NMEAClient(carrier: try TCPConnection("127.0.0.1", try nmeaPort()))
    }
  }

  /// Connects a client, and returns when its app is armed.
  func reading(_ endpoint: NMEAEndpoint) async throws -> NMEAClient {
    let client = try nmeaClient(endpoint)
    try await armed("plotter")
    return client
  }
}
