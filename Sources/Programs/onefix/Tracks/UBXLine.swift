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
    case .hnrPVT(let solution): add(solution)
    case .navSOL(let solution): add(solution)
    case .navPOSLLH(let position): add(position)
    case .navVELNED(let velocity): add(velocity)
    case .navSTATUS(let status): add(status)
    case .navTIMEUTC(let time): add(time)
    case .navTIMEGPS(let time):
      add("time_of_week_ms", Int(time.timeOfWeek))
      add("leap_seconds", time.leapSeconds)
    case .navDOP(let dilution): add(dilution)
    case .navSAT(let message): add(message.timeOfWeek, message.satellites)
    case .navSVINFO(let message): add(message.timeOfWeek, message.satellites)
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

  private mutating func add(_ solution: NavSOL) {
    add("time_of_week_ms", Int(solution.timeOfWeek))
    add("week", solution.week)
    add("fix", solution.fixType.name)
    add("fix_ok", solution.isFixOK)
    add("differential", solution.isDifferential)
    add("sats", solution.satellitesUsed)
    add("x", solution.position.x)
    add("y", solution.position.y)
    add("z", solution.position.z)
    add("pacc", solution.positionAccuracy)
    add("velocity_x", solution.velocity.x)
    add("velocity_y", solution.velocity.y)
    add("velocity_z", solution.velocity.z)
    add("sacc", solution.speedAccuracy)
    add("pdop", solution.positionDilution)
  }

  private mutating func add(_ position: NavPOSLLH) {
    add("time_of_week_ms", Int(position.timeOfWeek))
    add("lat", position.coordinate?.latitude)
    add("lon", position.coordinate?.longitude)
    add("ellipsoidal_height", position.height)
    add("alt", position.altitude)
    add("hacc", position.horizontalAccuracy)
    add("vacc", position.verticalAccuracy)
  }

  private mutating func add(_ velocity: NavVELNED) {
    add("time_of_week_ms", Int(velocity.timeOfWeek))
    add("velocity_north", velocity.velocityNorth)
    add("velocity_east", velocity.velocityEast)
    add("velocity_down", velocity.velocityDown)
    add("speed", velocity.speed)
    add("course", velocity.course)
    add("sacc", velocity.speedAccuracy)
    add("cacc", velocity.courseAccuracy)
  }

  private mutating func add(_ status: NavSTATUS) {
    add("time_of_week_ms", Int(status.timeOfWeek))
    add("fix", status.fixType.name)
    add("fix_ok", status.isFixOK)
    add("differential", status.isDifferential)
    add("spoofing", status.spoofing.name)
  }

  private mutating func add(_ time: NavTIMEUTC) {
    add("time_of_week_ms", Int(time.timeOfWeek))
    add("date", time.date)
    add("time", time.timeOfDay)
    add("time_accuracy_ns", time.accuracy.map(Int.init))
  }

  private mutating func add(_ timeOfWeek: UInt32, _ satellites: [Satellite]) {
    add("time_of_week_ms", Int(timeOfWeek))
    add(satellites)
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
    case .hnrPVT: "HNR-PVT"
    case .navSOL: "NAV-SOL"
    case .navPOSLLH: "NAV-POSLLH"
    case .navVELNED: "NAV-VELNED"
    case .navSTATUS: "NAV-STATUS"
    case .navTIMEUTC: "NAV-TIMEUTC"
    case .navTIMEGPS: "NAV-TIMEGPS"
    case .navSVINFO: "NAV-SVINFO"
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

extension SignalThreat {
  /// The name of the verdict; nil if the receiver gives no verdict.
  var name: String? {
    switch self {
    case .unknown: nil
    case .none: "none"
    case .suspected: "suspected"
    case .certain: "certain"
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
