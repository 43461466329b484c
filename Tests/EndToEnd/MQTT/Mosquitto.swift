import Foundation
import Glibc
import NIOCore
import NIOPosix
import Requirements
import Testing

/// Debian's mosquitto on its own port. It keeps its pending messages when it is stopped.
final class Mosquitto: Sendable {
  static let isInstalled = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto_sub"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  let folder: Folder
  let port: Int
  private let configuration: String
  private let process: Observed<Child?> = Observed(nil)

  /// - Parameter more: Lines of its configuration in addition to those that every test needs.
  init(_ more: String = "allow_anonymous true") async throws {
    folder = try Folder()
    port = try Self.freePort()
    configuration = try folder.write(
      """
      listener \(port) 127.0.0.1
      \(getuid() == 0 ? "user root" : "")
      persistence true
      persistence_location \(folder.path)/
      max_queued_messages 0
      \(more)
      """, to: "mosquitto.conf")
    try await start()
  }

  deinit { process.value?.kill(SIGKILL) }

  func start() async throws {
    let child = try Child("/usr/sbin/mosquitto", ["-c", configuration])
    process.change { $0 = child }
    try await child.reported(" running")
  }

  /// Stops the broker, which writes its pending messages to its file first.
  func stop() async throws {
    guard let child = process.value else { return }
    process.change { $0 = nil }
    // A broker that has just started forgets the signal: it sets its flag for running after its handler of SIGTERM.
    _ = try await eventually("the end of the broker") {
      child.kill(SIGTERM)
      return child.end.value
    }
    try await child.finish()
  }

  /// Returns when a client is disconnected.
  func waitUntilDisconnected(_ client: String) async throws {
    try await process.value?.reported("Client \(client) ", "disconnected")
  }

  /// Makes the broker read its access rules again.
  func readRules() { process.value?.kill(SIGHUP) }

  /// Suspends the broker. Its connections stay open.
  func hold() { process.value?.kill(SIGSTOP) }

  func resume() { process.value?.kill(SIGCONT) }

  /// Returns a port that no program uses.
  static func freePort() throws -> Int {
    let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    let listener = try bootstrap.bind(host: "127.0.0.1", port: 0).wait()
    let port = try #require(listener.localAddress?.port)
    try listener.close().wait()
    return port
  }

  /// Returns the settings of the broker in `onefix.toml`.
  func settings(app: String = "peer", scheme: String = "mqtt", _ more: String = "") -> String {
    """
    gateway = "boat"
    \(entry(app: app, scheme: scheme, more))
    """
  }

  func entry(app: String = "peer", scheme: String = "mqtt", _ more: String = "") -> String {
    """
    [[mqtt]]
    broker = "\(scheme)://127.0.0.1:\(port)"
    app = "\(app)"
    \(more)

    """
  }
}

/// A subscriber at a broker: `mosquitto_sub`.
final class Subscriber: Sendable {
  struct Message: Hashable, Sendable {
    var topic: String
    var qos: Int
    var isRetained: Bool
    var payload: String
  }

  private let child: Child
  private let broker: Mosquitto

  /// - Parameters:
  ///   - name: The client id under which the broker keeps messages during an absence. Nil for a new subscriber.
  ///   - options: Options of `mosquitto_sub`.
  init(_ broker: Mosquitto, name: String? = nil, _ options: [String] = []) async throws {
    self.broker = broker
    var words = ["-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-F", "%t|%q|%r|%p", "-t", "#"]
    if let name { words += ["-c", "-i", name] }
    child = try Child("mosquitto_sub", words + options)
    try await settle(options)
  }

  /// The messages that were received so far.
  var messages: [Message] {
    child.output.value.lines.compactMap { line in
      let parts = line.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 4 else { return nil }
      return Message(topic: parts[0], qos: Int(parts[1]) ?? -1, isRetained: parts[2] == "1", payload: parts[3])
    }
  }

  func messages(_ topic: String) -> [Message] { messages.filter { $0.topic == topic } }

  /// Waits for the first message of a topic that satisfies the condition.
  func first(_ topic: String, after count: Int = 0, where matches: (Message) -> Bool = { _ in true }) async throws
    -> Message
  {
    try await child.output.first("a message on \(topic)") { received in
      if received.isOver { throw Daemon.Unready(received: received) }
      return self.messages(topic).dropFirst(count).first(where: matches)
    }
  }

  /// Returns when all messages that the broker had for the subscriber have arrived.
  func settle(_ options: [String] = []) async throws {
    let mark = "mark-\(UInt64.random(in: .min ... .max))"
    _ = try await eventually("\(mark) at a subscriber") {
      try await self.broker.publish("test/mark", mark, options)
      return self.messages("test/mark").contains { $0.payload == mark } ? true : nil
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// A test with a broker and its clients.
  static var needsMosquitto: Self { .needs("apt-get install mosquitto mosquitto-clients", Mosquitto.isInstalled) }
}

extension Mosquitto {
  func publish(_ topic: String, _ payload: String, _ options: [String] = []) async throws {
    let words =
      ["-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", topic] + (payload.isEmpty ? ["-n"] : ["-m", payload])
    let end = try await Child("mosquitto_pub", words + options).finish()
    try #require(end.end == .exit(0), "\(end.errors)")
  }

  /// Publishes a request until it is armed, because the gateway ignores requests in the first second of a connection.
  func request(
    _ payload: String = "", on topic: String? = nil, of daemon: Daemon, app: String = "peer", _ options: [String] = []
  ) async throws {
    _ = try await eventually("a request to be armed") {
      if try await daemon.status()["armed"] == app { return true }
      try await self.publish(topic ?? "onefix/boat/\(app)/request", payload, options)
      return try await daemon.status()["armed"] == app ? true : nil
    }
  }
}

extension Daemon {
  /// Waits until the state of the first broker, as owners see it, has the value.
  func broker(_ key: String, _ value: String) async throws {
    try await status("mqtt-1-\(key)", is: value)
  }

  /// Runs the body of a test with a daemon whose app may use the button, connected to a broker.
  static func behind(
    _ broker: Mosquitto, _ settings: String? = nil, _ body: (Daemon) async throws -> Void
  ) async throws {
    try await with(configuration: settings ?? broker.settings()) { daemon in
      try await daemon.authorize("peer")
      try await daemon.broker("state", "connected")
      try await body(daemon)
    }
  }

  /// Runs the body of a test with a broker, a subscriber with all its messages, and the daemon of the function above.
  /// - Parameters:
  ///   - lines: Lines of the broker's configuration.
  ///   - name: The client id of the subscriber. Nil for a new one.
  static func behind(
    _ settings: String = "", brokerWith lines: String = "allow_anonymous true", subscriber name: String? = nil,
    _ body: (Daemon, Mosquitto, Subscriber) async throws -> Void
  ) async throws {
    let broker = try await Mosquitto(lines)
    let subscriber = try await Subscriber(broker, name: name)
    try await behind(broker, broker.settings(settings)) { try await body($0, broker, subscriber) }
  }

  /// Returns the disclosures over MQTT in the log: `late` or not, and their outcome.
  func mqttLog() async throws -> [String] {
    try await sqlite(
      """
      SELECT CASE d.late WHEN 1 THEN 'late ' ELSE '' END || coalesce(o.outcome, 'open') FROM disclosure_log d
      LEFT JOIN disclosure_log o ON o.disclosure = d.sequence WHERE d.transport = 'mqtt' ORDER BY d.sequence
      """)
  }

  /// Waits until a number of fixes wait for their output.
  func waits(_ count: String) async throws {
    _ = try await eventually("\(count) fixes to wait") {
      try await sqlite("SELECT count(*) FROM outbox") == [count] ? true : nil
    }
  }
}
