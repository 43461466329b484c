import GNSS
import LineProtocol
import NMEA

/// The JSON members of each type of sentence, in the order of the sentence's fields.
extension TextBuffer {
  mutating func add(_ gga: GGA) {
    add("time", gga.time)
    add(gga.coordinate)
    add("quality", gga.quality?.name)
    add("sats", gga.satellitesUsed)
    add("hdop", gga.horizontalDilution)
    add("alt", gga.altitude)
    add("geoid", gga.geoidSeparation)
    add("correction_age", gga.correctionAge)
    add("station", gga.station)
  }

  mutating func add(_ rmc: RMC) {
    add("time", rmc.time)
    add("valid", rmc.isValid)
    add(rmc.coordinate)
    add("speed_knots", rmc.speedKnots)
    add("course", rmc.course)
    add("date", rmc.date)
    add("magnetic_variation", rmc.magneticVariation)
    add("mode", rmc.mode?.name)
    add("nav_status", rmc.navigationStatus?.name)
  }

  mutating func add(_ gsa: GSA) {
    add("selection", gsa.choosesModeItself.map { $0 ? "automatic" : "manual" })
    add("fix", gsa.mode?.name)
    begin("satellites")
    var separator: Unicode.Scalar = "["
    for number in gsa.satellites {
      append(ascii: separator)
      append(Int64(number))
      separator = ","
    }
    append(separator == "[" ? "[]" : "]")
    add("pdop", gsa.dilutionOfPrecision.position)
    add("hdop", gsa.dilutionOfPrecision.horizontal)
    add("vdop", gsa.dilutionOfPrecision.vertical)
    add("system_id", gsa.systemID)
  }

  mutating func add(_ gsv: GSV) {
    add("parts", gsv.parts)
    add("part", gsv.part)
    add("in_view", gsv.satellitesInView)
    add((0..<gsv.count).lazy.map { gsv.satellite(at: $0) })
    add("signal", gsv.signal)
  }

  mutating func add(_ gst: GST) {
    add("time", gst.time)
    add("range_rms", gst.errors.rangeRMS)
    add("semi_major", gst.errors.semiMajorAxis)
    add("semi_minor", gst.errors.semiMinorAxis)
    add("orientation", gst.errors.orientation)
    add("lat_deviation", gst.errors.latitude)
    add("lon_deviation", gst.errors.longitude)
    add("alt_deviation", gst.errors.altitude)
  }

  mutating func add(_ vtg: VTG) {
    add("course", vtg.course)
    add("magnetic_course", vtg.magneticCourse)
    add("speed_knots", vtg.speedKnots)
    add("speed_kmh", vtg.speedKilometresPerHour)
    add("mode", vtg.mode?.name)
  }

  mutating func add(_ gll: GLL) {
    add(gll.coordinate)
    add("time", gll.time)
    add("valid", gll.isValid)
    add("mode", gll.mode?.name)
  }

  mutating func add(_ gns: GNS) {
    add("time", gns.time)
    add(gns.coordinate)
    add("modes", gns.modeIndicators.isEmpty ? nil : gns.modeIndicators.map(\.name))
    add("sats", gns.satellitesUsed)
    add("hdop", gns.horizontalDilution)
    add("alt", gns.altitude)
    add("geoid", gns.geoidSeparation)
    add("correction_age", gns.correctionAge)
    add("station", gns.station)
    add("nav_status", gns.navigationStatus?.name)
  }

  mutating func add(_ zda: ZDA) {
    add("time", zda.time)
    add("date", zda.date)
    add("zone_hours", zda.zoneHours)
    add("zone_minutes", zda.zoneMinutes)
  }

  mutating func add(_ dtm: DTM) {
    add("datum", dtm.datum.nonEmpty)
    add("subdivision", dtm.subdivision.nonEmpty)
    add("lat_offset_minutes", dtm.latitudeOffset)
    add("lon_offset_minutes", dtm.longitudeOffset)
    add("alt_offset", dtm.altitudeOffset)
    add("reference", dtm.reference.nonEmpty)
  }

  mutating func add(_ txt: TXT) {
    add("parts", txt.parts)
    add("part", txt.part)
    add("identifier", txt.identifier)
    add("text", txt.text)
  }

  mutating func add(_ gbs: GBS) {
    add("time", gbs.time)
    add("lat_error", gbs.latitudeError)
    add("lon_error", gbs.longitudeError)
    add("alt_error", gbs.altitudeError)
    add("failed_satellite", gbs.failedSatellite)
    add("miss_probability", gbs.missProbability)
    add("bias", gbs.bias)
    add("bias_deviation", gbs.standardDeviation)
    add("system_id", gbs.systemID)
    add("signal", gbs.signal)
  }

  mutating func add(_ pubx: PUBXPosition) {
    add("time", pubx.time)
    add(pubx.coordinate)
    add("ellipsoidal_height", pubx.ellipsoidalHeight)
    add("status", pubx.status?.name)
    add("hacc", pubx.horizontalAccuracy)
    add("vacc", pubx.verticalAccuracy)
    add("speed_kmh", pubx.speedKilometresPerHour)
    add("course", pubx.course)
    add("vertical_velocity", pubx.verticalVelocity)
    add("correction_age", pubx.correctionAge)
    add("hdop", pubx.dilutionOfPrecision.horizontal)
    add("vdop", pubx.dilutionOfPrecision.vertical)
    add("tdop", pubx.timeDilution)
    add("sats", pubx.satellitesUsed)
  }

  mutating func add(_ pubx: PUBXTime) {
    add("time", pubx.time)
    add("date", pubx.date)
    add("time_of_week", pubx.timeOfWeek)
    add("week", pubx.week)
    add("leap_seconds", pubx.leapSeconds)
    add("clock_bias_ns", pubx.clockBias)
    add("clock_drift_ns_per_s", pubx.clockDrift)
  }

  mutating func add(_ error: PositionError) {
    add("source", error.source.rawValue)
    add("hacc", error.horizontal)
    add("vacc", error.vertical)
  }

  mutating func add(_ coordinate: Coordinate?) {
    add("lat", coordinate?.latitude)
    add("lon", coordinate?.longitude)
  }

  mutating func add(_ satellites: some Sequence<Satellite>) {
    begin("satellites")
    append(ascii: "[")
    for (index, satellite) in satellites.enumerated() {
      if index > 0 { append(ascii: ",") }
      beginObject()
      add("system", satellite.constellation?.rawValue)
      add("number", satellite.number)
      add("elevation", satellite.elevation)
      add("azimuth", satellite.azimuth)
      add("snr", satellite.signalStrength)
      add("used", satellite.isUsed)
      endObject()
    }
    append(ascii: "]")
  }
}

extension ShortText {
  fileprivate var nonEmpty: String? { isEmpty ? nil : description }
}
