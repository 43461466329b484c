package import GNSS

/// The state of the receiver for owners, without a position.
package struct ReceiverCondition: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// The receiver's power supply is off until a fix is needed.
    case off
    /// The receiver's port cannot be opened, or has disappeared.
    case absent
    /// The port is open, and no valid message has arrived yet.
    case starting
    /// The receiver sends epochs without a fix.
    case acquiring
    /// The latest epoch has a fix.
    case ready
  }

  package var state: State
  /// The dimensions of the fix; nil without a fix.
  package var mode: FixMode?
  package var satellitesUsed: Int?
  package var hdop: Double?
  /// The reason why the receiver is absent; nil in other states.
  package var cause: String?
  /// Whether the receiver's dates were corrected by a multiple of 1024 weeks (GPS week rollover).
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

/// The satellites in view and the quality of their geometry. Only owners see this value, because satellite directions
/// and the time reveal the approximate position.
package struct ReceiverSky: Hashable, Sendable {
  /// The satellites in view: one element for each satellite and signal.
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

  /// The mean signal strength of the used satellites in dB-Hz; nil if unknown.
  package var meanSignalStrength: Double? {
    let strengths = satellites.filter { $0.isUsed == true }.compactMap(\.signalStrength)
    return strengths.isEmpty ? nil : Double(strengths.reduce(0, +)) / Double(strengths.count)
  }

  package var hdop: Double? { dilutionOfPrecision.horizontal }
  package var vdop: Double? { dilutionOfPrecision.vertical }
  package var pdop: Double? { dilutionOfPrecision.position }
}

/// The counts of the receiver's data since the start of the program or since the receiver's port was opened.
package struct ReceiverTotals: Sendable {
  package var epochs = 0
  /// The number of epochs with a measured fix.
  package var fixes = 0
  package var frames = 0
  /// The number of jumps of the position that the receiver did not explain.
  package var jumps = 0
  /// The numbers of rejected lines and frames, by the name of the error.
  package var errors: [String: Int] = [:]
  /// The numbers of sentences with a correct checksum that were rejected because of a field, by the name of the field.
  package var rejectedFields: [String: Int] = [:]
  /// The numbers of fields that could not be read, in sentences that were used without them.
  package var unknownFields: [String: Int] = [:]

  package init() {}
}
