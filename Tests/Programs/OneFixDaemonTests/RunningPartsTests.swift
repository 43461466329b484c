import Configuration
import LineProtocol
import Ports
import Testing

@testable import Features
@testable import onefixd

/// The decision whether a client may continue to act as its app, without a running feature.
@Suite struct RunningPartsTests {
  private static func configuration(_ more: String = "") throws -> GatewayConfiguration {
    let text = """
      [[app]]
      id = "ferry"
      uid = 1000
      [[app]]
      id = "kiosk"
      uid = 1001
      [[listen]]
      socket = "/run/x/kiosk/s"
      app = "kiosk"
      """
    return try GatewayConfiguration(
      parsing: Array((text + more).utf8), file: "onefix.toml", features: featureTypes, uid: { _ in nil })
  }

  private static let cases: [(app: String, proof: Identity.Proof, peer: Peer, Transport, isAdmitted: Bool)] = [
    ("ferry", .transport, .process(uid: 1000), .unix, true), ("ferry", .transport, .process(uid: 1001), .unix, false),
    // An app with a socket of its own is not admitted at the socket of all apps.
    ("kiosk", .transport, .process(uid: 1001), .unix, false),
    // Without a running feature, no client of gpsd and no certificate is known.
    ("ferry", .transport, .process(uid: 1000), .gpsd, false),
    ("ferry", .certificate([1]), .port("/dev/ttyS1"), .tls, false),
    // A key, a port and a broker identify every configured app.
    ("ferry", .key(1), .process(uid: 7), .tcp, true), ("tug", .key(1), .process(uid: 7), .tcp, false),
    ("ferry", .transport, .port("/dev/ttyS1"), .serial, true), ("tug", .transport, .port("/dev/ttyS1"), .serial, false),
    ("ferry", .transport, .output("mqtt://[::1]"), .mqtt, true),
    ("tug", .transport, .output("mqtt://[::1]"), .mqtt, false),
  ]

  @Test(arguments: cases.indices)
  func `a client stays admitted while the configuration identifies it as its app`(index: Int) throws {
    let (app, proof, peer, transport, isAdmitted) = Self.cases[index]
    let parts = RunningParts(try Self.configuration(), anyAppUID: nil)
    let identity = Identity(try #require(AppID(app)), by: proof)
    #expect(parts.admits(identity, peer, over: transport) == isAdmitted)
  }

  @Test func `a new configuration changes the admitted clients, and a simulated position admits one user as any app`()
    throws
  {
    let parts = RunningParts(try GatewayConfiguration(parsing: [], file: "onefix.toml"), anyAppUID: 7)
    let ferry = try #require(AppID("ferry"))
    #expect(parts.admits(Identity(ferry, by: .transport), .process(uid: 7), over: .unix))
    #expect(!parts.admits(Identity(ferry, by: .key(1)), .process(uid: 7), over: .tcp))
    parts.change(to: try Self.configuration(), anyAppUID: nil)
    #expect(!parts.admits(Identity(ferry, by: .transport), .process(uid: 7), over: .unix))
    #expect(parts.admits(Identity(ferry, by: .key(1)), .process(uid: 7), over: .tcp))
  }
}
