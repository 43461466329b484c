/// The version of MQTT that the gateway uses with a broker. (OASIS MQTT 3.1.1 and 5.0)
package enum MQTTVersion: String, Hashable, Sendable, CaseIterable {
  case three = "3.1.1"
  case five = "5"
}
