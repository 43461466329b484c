import LineProtocol
import Requirements
import Testing

/// The causes of failed connections to a real broker.
@Suite(.needsMosquitto)
struct BrokerFaultTests {
  /// Expects the cause of a failed connection in the log, in the status and in the diagnosis.
  private func expect(
    _ fault: OutputFault, cause: String? = nil, at broker: Mosquitto, scheme: String = "mqtts", ca: String? = nil,
    _ more: String = ""
  ) async throws {
    let settings = broker.settings(scheme: scheme, ca.map { "ca = \"\($0)\"" } ?? more)
    try await Daemon.with(configuration: settings) { daemon in
      try await daemon.process.reported("cannot use a broker", cause ?? fault.cause)
      try await daemon.broker("fault", fault.rawValue)
      // During another attempt to connect there is no fault, and on a busy machine an attempt can end with another one.
      _ = try await eventually("the fault in the status") {
        let status = try await daemon.onefix("status").output
        return status.contains { $0.contains("mqtt") && $0.contains(fault.cause) } ? true : nil
      }
      let remedy = try await eventually("the fault in the diagnosis") {
        let doctor = try await daemon.onefix("doctor").output
        return doctor.firstIndex { $0.hasPrefix("✗ The broker") && $0.contains(fault.cause) }.map { doctor[$0 + 1] }
      }
      #expect(remedy.contains(fault.remedy), "\(remedy)")
    }
    // The broker runs until here.
    withExtendedLifetime(broker) {}
  }

  private func broker(_ authority: Authority, _ name: String, _ more: String = "") async throws -> Mosquitto {
    try await Mosquitto(
      """
      allow_anonymous true
      certfile \(authority.certificate(name))
      keyfile \(authority.privateKey(name))
      \(more)
      """)
  }

  @Test func `a broker is untrusted if no authority is configured, or another one`() async throws {
    let authority = try await Authority()
    try await authority.make("other", ["-subj", "/CN=other"])
    for ca in [nil, authority.certificate("other")] {
      try await expect(.untrusted, at: broker(authority, "server"), ca: ca)
    }
  }

  @Test(arguments: [OutputFault.expired, .notYetValid, .wrongHost])
  func `a certificate outside its period, or for another host, is named as such`(fault: OutputFault) async throws {
    let authority = try await Authority()
    switch fault {
    case .expired: try await authority.issue("bad", from: "20200101000000Z", until: "20200201000000Z")
    case .notYetValid: try await authority.issue("bad", from: "20900101000000Z", until: "20910101000000Z")
    default: try await authority.issue("bad", ["-addext", "subjectAltName=DNS:mqtt.example.org"])
    }
    try await expect(fault, at: broker(authority, "bad"), ca: authority.certificate("authority"))
  }

  @Test func `a port that does not answer in TLS is named as such`() async throws {
    try await expect(.noTLS, at: Mosquitto())
  }

  @Test func `a broker that needs a certificate of the gateway is named as such`() async throws {
    let authority = try await Authority()
    let ca = authority.certificate("authority")
    let broker = try await broker(authority, "server", "cafile \(ca)\nrequire_certificate true")
    try await expect(.clientCertificate, cause: "certificate required", at: broker, ca: ca)
  }

  @Test func `a port without a listener is unreachable`() async throws {
    let broker = try await Mosquitto()
    try await broker.stop()
    try await expect(.unreachable, cause: "connection refused", at: broker, scheme: "mqtt")
  }

  @Test func `a file that is no certificate is named`() async throws {
    let folder = try Folder()
    let file = try folder.write("no certificate\n", to: "ca.pem")
    let broker = try await Mosquitto()
    try await expect(
      .file, cause: "cannot use \(file): it has no certificate in PEM format", at: broker, ca: file)
  }

  @Test func `a broker that permits no message as long as the description is named as such`() async throws {
    let broker = try await Mosquitto("allow_anonymous true\nmax_packet_size 2000")
    try await expect(
      .publication, cause: "packet larger than supported by the server", at: broker, scheme: "mqtt",
      "home_assistant = true")
  }

  @Test(arguments: ["retain_available false", "max_qos 0"])
  func `a broker without retained messages or QoS 1 is named as such`(line: String) async throws {
    let broker = try await Mosquitto("allow_anonymous true\n\(line)")
    try await expect(.refused, cause: "not supported", at: broker, scheme: "mqtt")
  }
}
