import Base
import Configuration
package import LineProtocol
import OperatingSystem

/// The address of an MQTT broker, and the credentials of the gateway.
package struct BrokerSettings: Hashable, Sendable {
  /// The host name or the IP address of the broker. An IPv6 address has no brackets.
  package var host: String
  package var port: Int
  /// The configured MQTT version; nil to use MQTT 5, or MQTT 3.1.1 with a broker that does not support MQTT 5.
  package var version: MQTTVersion?
  /// The MQTT client id, which must be unique at the broker. If another client connects with the same id, the broker
  /// closes the older connection.
  package var clientID: String
  package var username: String?
  /// The path of the file with the password, which the client reads again for each connection; nil for no password.
  package var passwordFile: String?
  /// The certificates and the key for TLS; nil for an unencrypted connection.
  package var tls: TLS?

  package struct TLS: Hashable, Sendable {
    /// The path of the PEM file with the trusted certificate authorities; nil for the authorities of this machine
    /// (`/etc/ssl/certs`).
    package var ca: String?
    /// The path of the PEM file with the gateway's certificate; nil if the gateway sends no certificate.
    package var certificate: String?
    package var key: String?
  }

  package var address: String { (tls == nil ? "mqtt://" : "mqtts://") + hostAndPort(host, port) }

  /// The host and the port of the broker. A name has one form with and without a dot at its end (RFC 1034 §3.1), and
  /// `localhost` has one form with its addresses.
  var server: String {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return hostAndPort(ListenEndpoint.loopbackHosts.contains(name) ? "localhost" : name, port)
  }
}

/// An MQTT message without a fix, for example a state of the gateway. The client sends the message at most once.
struct Announcement: Hashable, Sendable {
  var topic: String
  var payload: [UInt8]
  /// Whether the broker keeps the message for later subscribers, in place of the previous message on the topic.
  var isRetained = false
  /// Whether the gateway checks that the broker really delivers the message to subscribers.
  var isVerified = false
  /// The instant after which the message is no longer sent; nil for no deadline. Only messages about an entered or left
  /// region have a deadline, and only such messages can be withdrawn.
  var end: MonotonicInstant?

  init(
    _ topic: String, _ payload: String, isRetained: Bool = false, isVerified: Bool = false,
    until end: MonotonicInstant? = nil
  ) {
    self.topic = topic
    self.payload = Array(payload.utf8)
    self.isRetained = isRetained
    self.isVerified = isVerified
    self.end = end
  }
}
