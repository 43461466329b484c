import GNSS
package import LineProtocol
package import UBX

/// Formats UBX messages as JSON objects, one in each line. The keys are the same as in the line protocol and in
/// sentences. Units are SI units and degrees, and times are UTC.
extension TextBuffer {
  /// Appends a message: all fields of a supported message, the identifier and the length of an unsupported message, or
  /// the error of an invalid message.
  package mutating func appendLine(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) {
    let message: UBXMessage?
    do throws(UBXError) {
      message = try UBXMessage(identifier, payload)
    } catch {
      appendLine(error)
      return
    }
    beginObject()
    add("type", "UBX")
    add("message", identifier.name)
    switch message {
    case .navPVT(let solution): add(solution)
    case .navDOP(let dilution): add(dilution)
    case .navSAT(let satellites): add(satellites)
    case .endOfEpoch(let timeOfWeek): add("time_of_week_ms", Int(timeOfWeek))
    case .monVER(let version): add(version)
    case .acknowledgement(let answer): add("answers", answer.message.name)
    case nil: add("length", payload.count)
    }
    endObject()
    append(ascii: "\n")
  }

  private mutating func appendLine(_ error: UBXError) {
    beginObject()
    switch error {
    case .payloadLength(let identifier, let length):
      add("error", "payload-length")
      add("type", "UBX")
      add("message", identifier.name)
      add("length", length)
    case .version(let identifier, let version):
      add("error", "version")
      add("type", "UBX")
      add("message", identifier.name)
      add("version", Int(version))
    }
    endObject()
    append(ascii: "\n")
  }

  private mutating func add(_ solution: NavPVT) {
    add("time_of_week_ms", Int(solution.timeOfWeek))
    add("date", solution.date)
    add("time", solution.timeOfDay)
    add("time_resolved", solution.isTimeResolved)
    add("time_accuracy_ns", solution.timeAccuracy.map(Int.init))
    add("fix", solution.fixType.name)
    add("fix_ok", solution.isFixOK)
    add("differential", solution.isDifferential)
    add("carrier", solution.carrierSolution.name)
    add("sats", solution.satellitesUsed)
    add(solution.coordinate)
    add("ellipsoidal_height", solution.height)
    add("alt", solution.altitude)
    add("hacc", solution.horizontalAccuracy)
    add("vacc", solution.verticalAccuracy)
    add("velocity_north", solution.velocityNorth)
    add("velocity_east", solution.velocityEast)
    add("velocity_down", solution.velocityDown)
    add("speed", solution.speed)
    add("course", solution.course)
    add("sacc", solution.speedAccuracy)
    add("cacc", solution.courseAccuracy)
    add("pdop", solution.positionDilution)
  }

  private mutating func add(_ dilution: NavDOP) {
    add("time_of_week_ms", Int(dilution.timeOfWeek))
    add("gdop", dilution.geometric)
    add("pdop", dilution.position)
    add("tdop", dilution.time)
    add("vdop", dilution.vertical)
    add("hdop", dilution.horizontal)
    add("ndop", dilution.northing)
    add("edop", dilution.easting)
  }

  private mutating func add(_ message: NavSAT) {
    add("time_of_week_ms", Int(message.timeOfWeek))
    add(message.satellites)
  }

  private mutating func add(_ version: MonVER) {
    add("software", version.software)
    add("hardware", version.hardware)
    add("extensions", version.extensions)
  }
}

extension UBXIdentifier {
  /// The name of the message in the manuals of u-blox. For an unsupported message, the name is its class and id, as in
  /// `06-8a`.
  var name: String {
    switch self {
    case .navPVT: "NAV-PVT"
    case .navDOP: "NAV-DOP"
    case .navSAT: "NAV-SAT"
    case .navEOE: "NAV-EOE"
    case .monVER: "MON-VER"
    case .ack: "ACK-ACK"
    case .nak: "ACK-NAK"
    default: description
    }
  }
}

extension NavPVT.FixType {
  var name: String {
    switch self {
    case .none: "none"
    case .deadReckoning: "dead-reckoning"
    case .twoDimensional: "2d"
    case .threeDimensional: "3d"
    case .combined: "combined"
    case .timeOnly: "time-only"
    }
  }
}

extension NavPVT.CarrierSolution {
  var name: String? {
    switch self {
    case .none: nil
    case .float: "float"
    case .fixed: "fixed"
    }
  }
}
