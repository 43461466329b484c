import Base
package import LineProtocol
import OperatingSystem

/// The settings of the connection to an MQTT broker.
package struct BrokerSettings: Hashable, Sendable {
  /// A host name, or an IP address without brackets.
  package var host: String
  package var port: Int
  /// The version of MQTT. If nil, the client uses MQTT 5, or MQTT 3.1.1 if the broker does not support MQTT 5.
  package var version: MQTTVersion?
  /// The MQTT client id, unique among all clients of the broker. If another client connects with the same id, the
  /// broker closes the older connection.
  package var clientID: String
  package var username: String?
  /// The path of the file with the password, which is read again for each connection; nil for no password.
  package var passwordFile: String?
  /// The settings of TLS; nil for an unencrypted connection.
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
}

/// An MQTT message that contains no fix. The client sends the message at most once.
struct Announcement: Hashable, Sendable {
  var topic: String
  var payload: [UInt8]
  /// Whether the broker retains the message for later subscribers, in place of the previous message on the topic.
  var isRetained = false
  /// Whether the gateway verifies that the broker delivers the message to subscribers.
  var isVerified = false
  /// The deadline of a message that the device entered or left a region; nil for all other messages. The gateway can
  /// withdraw an unsent message that has a deadline.
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
