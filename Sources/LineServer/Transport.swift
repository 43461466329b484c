/// What a connection's lines travel over. The log of disclosures names it so.
package enum Transport: String, Hashable, Sendable {
  case unix
  case tcp
  case tls
  case serial
  /// What clients of gpsd speak.
  case gpsd
  case mqtt
}
