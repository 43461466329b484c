/// The version of the MQTT protocol, 3.1.1 or 5. (OASIS)
package enum MQTTVersion: String, Hashable, Sendable, CaseIterable {
  case three = "3.1.1"
  case five = "5"
}
