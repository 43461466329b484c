import LineProtocol
import Requirements
import Testing

/// The causes of failed connections to a real broker.
@Suite(
  .needs("apt-get install mosquitto mosquitto-clients", Mosquitto.isInstalled))
struct BrokerFaultTests {
  /// Expects the cause of a failed connection in the log, in the status and in the diagnosis.
  private func expect(
    _ fault: OutputFault, cause: String? = nil, at broker: Mosquitto, scheme: String = "mqtts", ca: String? = nil
  ) async throws {
    let settings = broker.settings(scheme: scheme, ca.map { "ca = \"\($0)\"" } ?? "")
    try await Daemon.with(configuration: settings) { daemon in
      _ = try await daemon.process.errors.first("the cause") { received in
        received.lines.first { $0.contains("cannot use a broker") && $0.contains(cause ?? fault.cause) }
      }
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

  @Test func `a broker whose authority is not configured is untrusted`() async throws {
    let authority = try await Authority()
    try await expect(.untrusted, at: broker(authority, "server"))
  }

  @Test(arguments: [
    ("20200101000000Z", "20200201000000Z", OutputFault.expired), ("20900101000000Z", "20910101000000Z", .notYetValid),
  ])
  func `a certificate outside its period is named as such`(begin: String, end: String, fault: OutputFault) async throws
  {
    let authority = try await Authority()
    try await authority.issue("old", from: begin, until: end)
    try await expect(fault, at: broker(authority, "old"), ca: authority.certificate("authority"))
  }

  @Test func `a certificate for another host is named as such`() async throws {
    let authority = try await Authority()
    try await authority.issue("other", ["-addext", "subjectAltName=DNS:mqtt.example.org"])
    try await expect(.wrongHost, at: broker(authority, "other"), ca: authority.certificate("authority"))
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

  @Test func `a broker that refuses the user is named as such`() async throws {
    let broker = try await Mosquitto("allow_anonymous false")
    try await expect(.refused, cause: "not authorized", at: broker, scheme: "mqtt")
  }
}
