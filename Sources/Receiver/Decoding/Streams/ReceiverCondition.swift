package import GNSS

/// The state of the satellite receiver for the owner of the gateway. The value contains no position.
package struct ReceiverCondition: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// The power supply of the receiver is switched off until an app needs a fix.
    case off
    /// The gateway cannot open the receiver's port, or the port has disappeared.
    case absent
    /// The port is open, but the receiver has sent no valid message yet.
    case starting
    /// The receiver sends data, but has no fix.
    case acquiring
    /// The receiver has a fix.
    case ready
  }

  package var state: State
  /// The count of dimensions of the fix (two or three); nil without a fix.
  package var mode: FixMode?
  package var satellitesUsed: Int?
  package var hdop: Double?
  /// The reason why the state is `absent`; nil in other states.
  package var cause: String?
  /// Whether the decoder corrected the receiver's date by a multiple of 1024 weeks, because the GPS week number had
  /// rolled over.
  package var isDateCorrected = false
  package var signals = SignalState()
  package var defects: Set<ReceiverDefect> = []

  package init(
    state: State, mode: FixMode? = nil, satellitesUsed: Int? = nil, hdop: Double? = nil, cause: String? = nil,
    isDateCorrected: Bool = false
  ) {
    self.state = state
    self.mode = mode
    self.satellitesUsed = satellitesUsed
    self.hdop = hdop
    self.cause = cause
    self.isDateCorrected = isDateCorrected
  }
}

/// The satellites in view, and the quality of their geometry. Only the owner of the gateway sees this value, because
/// the directions of satellites reveal the approximate position.
package struct ReceiverSky: Hashable, Sendable {
  /// The satellites in view. A satellite with several signals has one element for each signal.
  package var satellites: [Satellite]
  package var dilutionOfPrecision: DilutionOfPrecision
  /// The radius in metres of the circle that contains the true position with a probability of 68 %; nil without a fix.
  package var horizontalAccuracy: Double?

  package init(
    satellites: [Satellite] = [], dilutionOfPrecision: DilutionOfPrecision = DilutionOfPrecision(),
    horizontalAccuracy: Double? = nil
  ) {
    self.satellites = satellites
    self.dilutionOfPrecision = dilutionOfPrecision
    self.horizontalAccuracy = horizontalAccuracy
  }

  /// The mean signal strength in dB-Hz of the satellites that the solution uses; nil if unknown.
  package var meanSignalStrength: Double? {
    let strengths = satellites.filter { $0.isUsed == true }.compactMap(\.signalStrength)
    return strengths.isEmpty ? nil : Double(strengths.reduce(0, +)) / Double(strengths.count)
  }

  package var hdop: Double? { dilutionOfPrecision.horizontal }
  package var vdop: Double? { dilutionOfPrecision.vertical }
  package var pdop: Double? { dilutionOfPrecision.position }
}

/// The counts of the receiver's data, since the program started or since the receiver's port was opened.
package struct ReceiverTotals: Sendable {
  package var epochs = 0
  /// The count of fixes that come from a measurement.
  package var fixes = 0
  package var frames = 0
  /// The count of sudden changes of the position that no motion explains.
  package var jumps = 0
  /// The count of each error in text lines and frames. The key is the name of the error.
  package var errors: [String: Int] = [:]
  /// The count of NMEA sentences that the decoder ignored because of a malformed field. The key is the name of the
  /// field.
  package var rejectedFields: [String: Int] = [:]
  /// The count of malformed fields in NMEA sentences that the decoder used. The key is the name of the field.
  package var unknownFields: [String: Int] = [:]

  package init() {}
}
