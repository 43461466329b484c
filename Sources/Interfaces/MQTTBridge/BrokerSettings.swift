/// The version of the protocol that is spoken to a broker. (OASIS MQTT 3.1.1 and 5.0)
package enum MQTTVersion: String, Hashable, Sendable, CaseIterable {
  case three = "3.1.1"
  case five = "5"
}

/// How a broker is reached, and who is there to it.
package struct BrokerSettings: Hashable, Sendable {
  /// A name, or an address without brackets.
  package var host: String
  package var port: Int
  package var version = MQTTVersion.three
  /// Unique among all clients of the broker: who comes with one that is there already takes its place.
  package var clientID: String
  package var username: String?
  /// Where the password is, read anew for each connection.
  package var passwordFile: String?
  /// Nil where what is said goes as it is.
  package var tls: TLS?

  package struct TLS: Hashable, Sendable {
    /// PEM; nil for those that the system trusts.
    package var ca: String?
    /// The gateway's own, PEM; nil where it shows none.
    package var certificate: String?
    package var key: String?

    package init(ca: String? = nil, certificate: String? = nil, key: String? = nil) {
      self.ca = ca
      self.certificate = certificate
      self.key = key
    }
  }

  package init(host: String, port: Int, clientID: String) {
    self.host = host
    self.port = port
    self.clientID = clientID
  }

  /// As in `mqtts://mqtt.example.org:8883`.
  package var place: String {
    (tls == nil ? "mqtt://" : "mqtts://") + (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
  }
}

/// What is said to a broker beside fixes, at most once.
struct Announcement: Hashable, Sendable {
  var topic: String
  var payload: [UInt8]
  /// Whether the broker keeps it for those who come later, in place of the one before.
  var isRetained = false
  /// Whether the broker is to show that it delivers this.
  var isVerified = false

  init(_ topic: String, _ payload: String, isRetained: Bool = false, isVerified: Bool = false) {
    self.topic = topic
    self.payload = Array(payload.utf8)
    self.isRetained = isRetained
    self.isVerified = isVerified
  }
}

/// Why a broker cannot be used: the operation, the object, the cause, and a remedy where one is known.
package struct BrokerError: Error, Hashable, Sendable, CustomStringConvertible {
  package var operation: String
  package var object: String
  package var cause: String
  package var remedy: String?

  package init(_ operation: String, _ object: String, cause: String, remedy: String? = nil) {
    self.operation = operation
    self.object = object
    self.cause = cause
    self.remedy = remedy
  }

  package var description: String { "cannot \(operation) \(object): \(cause)" + (remedy.map { " (\($0))" } ?? "") }
}
