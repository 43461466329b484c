package import GNSS

/// The state of the receiver, as owners see it. It has no position.
package struct ReceiverCondition: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// The receiver's supply is off until a fix is needed.
    case off
    /// The receiver's port cannot be opened, or has gone.
    case absent
    /// The port is open, and no valid message has come yet.
    case starting
    /// The receiver sends epochs without a fix.
    case acquiring
    /// The latest epoch has a fix.
    case ready
  }

  package var state: State
  /// Nil without a fix.
  package var mode: FixMode?
  package var satellitesUsed: Int?
  package var hdop: Double?
  /// Why the receiver is absent.
  package var cause: String?
  /// Whether the receiver's dates are a multiple of 1024 weeks behind and were corrected (GPS week rollover).
  package var isDateCorrected = false

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

/// The satellites in view and the quality of their geometry. Directions to satellites and the time tell roughly where the
/// receiver is: only owners see this.
package struct ReceiverSky: Hashable, Sendable {
  /// One for each satellite and signal.
  package var satellites: [Satellite]
  package var dilutionOfPrecision: DilutionOfPrecision
  /// Radius of the circle that holds 68 %, metres; nil without a fix.
  package var horizontalAccuracy: Double?

  package init(
    satellites: [Satellite] = [], dilutionOfPrecision: DilutionOfPrecision = DilutionOfPrecision(),
    horizontalAccuracy: Double? = nil
  ) {
    self.satellites = satellites
    self.dilutionOfPrecision = dilutionOfPrecision
    self.horizontalAccuracy = horizontalAccuracy
  }

  /// The mean signal strength of the satellites that the fix uses, dB-Hz; nil if there is none.
  package var meanSignalStrength: Double? {
    let strengths = satellites.filter { $0.isUsed == true }.compactMap(\.signalStrength)
    return strengths.isEmpty ? nil : Double(strengths.reduce(0, +)) / Double(strengths.count)
  }

  package var hdop: Double? { dilutionOfPrecision.horizontal }
  package var vdop: Double? { dilutionOfPrecision.vertical }
  package var pdop: Double? { dilutionOfPrecision.position }
}

/// The counts of the receiver's data since the start of the program.
package struct ReceiverTotals: Sendable {
  package var epochs = 0
  /// Epochs with a measured fix.
  package var fixes = 0
  package var frames = 0
  /// Damaged input, by kind of damage.
  package var errors: [String: Int] = [:]

  package init() {}
}
