import Base
import GNSS

/// A reader that combines gpsd's reports (text lines with JSON) into epochs. An epoch is all data of one instant.
///
/// Each TPV report (position) becomes an epoch, together with the SKY report (satellites) and the GST report (errors)
/// that arrive shortly before or afterwards. After a TPV, the reader waits for the report types that followed the
/// previous TPV, but at most for `completionTimeout`. The reader ignores a TPV with the time of the previous epoch. If
/// gpsd has several receivers, the reader uses the reports of one receiver until this receiver has been silent for five
/// seconds.
struct GPSDReader: Sendable {
  /// The maximum length of a text line in bytes. gpsd writes at most 10,240 bytes.
  static let maximumLine = 65_536
  static let completionTimeout = Duration.milliseconds(20)
  private static let deviceTimeout = Duration.seconds(5)
  /// The maximum age of satellites and dilutions of precision.
  private static let longestSky = Duration.seconds(10)
  /// The maximum age of a dilution of precision from which gpsd may have computed an error.
  private static let longestDilution = Duration.seconds(5)
  /// The errors in metres by which gpsd multiplies a dilution of precision if the receiver reports no error: without
  /// and with differential corrections. (gpsd, libgpsd_core.c, P_UERE_NO_DGPS and the constants after it)
  private static let (horizontalFactors, verticalFactors) = ([19.0, 4.75], [23.0, 5.75])

  private struct Kinds: OptionSet {
    let rawValue: UInt8
    static let sky = Kinds(rawValue: 1)
    static let errors = Kinds(rawValue: 2)
  }

  /// The version of gpsd, for example `3.22`; nil until gpsd has sent its first report (VERSION).
  private(set) var release: String?
  /// Whether an invalid text line came before the first report VERSION. The other program is then not gpsd.
  private(set) var isNotGPSD = false
  private(set) var brokenLines = 0
  /// The instant at which the caller must call `idle` if no byte arrives before. The value is nil if no position waits
  /// for its satellite and error reports.
  private(set) var nextDeadline: MonotonicInstant?

  private var line: [UInt8] = []
  private var isOverlong = false
  private var device: String?
  private var lastReport: MonotonicInstant?
  private var pending: (TPV, began: MonotonicInstant)?
  private var lastTime: UTCTime?
  private var sky: (SKY, arrived: MonotonicInstant)?
  /// The dilutions of precision of the latest seconds (`longestDilution`), oldest first.
  private var dilutions: [(dilution: DilutionOfPrecision, arrived: MonotonicInstant)] = []
  private var errors: GST?
  /// The arrival time of the latest position; nil before the first position. `following` contains the types of the
  /// reports since this time. `followed` contains the types for the previous position.
  private var positionArrived: MonotonicInstant?
  private var following: Kinds = []
  private var followed: Kinds?

  mutating func consume(_ bytes: some Sequence<UInt8>, at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        endLine(at: now, epoch)
      } else if line.count < GPSDReader.maximumLine {
        line.append(byte)
      } else {
        isOverlong = true
      }
    }
  }

  mutating func idle(at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    guard let nextDeadline, now >= nextDeadline else { return }
    emit(at: now, epoch)
  }

  private mutating func endLine(at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    defer {
      line.removeAll(keepingCapacity: true)
      isOverlong = false
    }
    if line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }), !isOverlong { return }
    guard !isOverlong, let report = GPSDReport(line: line) else {
      brokenLines += 1
      if release == nil { isNotGPSD = true }
      return
    }
    switch report {
    case .version(let release): self.release = self.release ?? release
    case .position(let position) where isFollowed(position.device, at: now): apply(position, at: now, epoch)
    case .sky(let sky) where isFollowed(sky.device, at: now): apply(sky, at: now, epoch)
    case .errors(let errors) where isFollowed(errors.device, at: now):
      self.errors = errors
      record(.errors, at: now, epoch)
    case .position, .sky, .errors, .other: break
    }
  }

  private mutating func isFollowed(_ name: String?, at now: MonotonicInstant) -> Bool {
    guard let name else { return true }
    if device != name {
      if let lastReport, now - lastReport < GPSDReader.deviceTimeout { return false }
      device = name
      (sky, errors, lastTime, dilutions) = (nil, nil, nil, [])
    }
    lastReport = now
    return true
  }

  private mutating func apply(_ position: TPV, at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    if let pending, pending.0.time == position.time, position.time != nil {
      // gpsd can report the same time again with more data. The second report replaces the first report.
      self.pending = (position, pending.began)
      return
    }
    emit(at: now, epoch)
    if let time = position.time, time == lastTime { return }
    if positionArrived != nil { followed = following }
    following = []
    positionArrived = now
    pending = (position, now)
    nextDeadline = now + GPSDReader.completionTimeout
    complete(at: now, epoch)
  }

  private mutating func apply(_ sky: SKY, at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    var sky = sky
    // Some versions of gpsd send the dilutions and the satellites in separate reports.
    if sky.satellites == nil {
      sky.satellites = self.sky?.0.satellites
      sky.satellitesUsed = sky.satellitesUsed ?? self.sky?.0.satellitesUsed
    }
    self.sky = (sky, now)
    dilutions.removeAll { now - $0.arrived > GPSDReader.longestDilution }
    dilutions.append((sky.dilution, now))
    record(.sky, at: now, epoch)
  }

  private mutating func record(_ kind: Kinds, at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    // A report after the timeout belongs to the next position.
    if let positionArrived, now - positionArrived <= GPSDReader.completionTimeout { following.formUnion(kind) }
    complete(at: now, epoch)
  }

  private mutating func complete(at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    if pending != nil, let followed, following.isSuperset(of: followed) { emit(at: now, epoch) }
  }

  private mutating func emit(at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    guard let (position, began) = pending else { return }
    pending = nil
    nextDeadline = nil
    var result = Epoch(began: began, ended: now)
    write(position, to: &result)
    if let time = position.time, let lastTime, time < lastTime { result.startsSequence = true }
    lastTime = position.time ?? lastTime
    epoch(result)
  }

  private func write(_ position: TPV, to epoch: inout Epoch) {
    epoch.date = position.time?.date
    epoch.timeOfDay = position.time?.timeOfDay
    epoch.quality = position.quality
    epoch.coordinate = position.coordinate
    if position.coordinate != nil {
      // A fix without an altitude is two-dimensional.
      epoch.mode = position.altitude == nil ? .twoDimensional : position.mode
      epoch.altitude = epoch.mode == .threeDimensional ? position.altitude : nil
      epoch.geoidSeparation = position.geoidSeparation
      epoch.speed = position.speed
      epoch.course = position.course
      // Errors for a different time do not belong to this position.
      if let errors, errors.time == nil || errors.time == position.time { epoch.errorStatistics = errors.errors }
    }
    let sky = sky.flatMap { sky, arrived in epoch.ended - arrived <= GPSDReader.longestSky ? sky : nil }
    epoch.satellites = sky?.satellites ?? []
    epoch.satellitesUsed = sky?.satellitesUsed
    let dilution = sky?.dilution ?? DilutionOfPrecision()
    epoch.dilutionOfPrecision = position.coordinate == nil ? dilution.withoutFix : dilution
    let statistics = epoch.errorStatistics
    guard position.coordinate != nil, statistics?.latitude == nil, statistics?.longitude == nil else { return }
    let recent = dilutions.filter { epoch.ended - $0.arrived <= GPSDReader.longestDilution }.map(\.dilution)
    let horizontal = own(position.horizontalError, recent.compactMap(\.horizontal), GPSDReader.horizontalFactors)
    let vertical = own(position.verticalError, recent.compactMap(\.vertical), GPSDReader.verticalFactors)
    // With the error of one axis only, `hacc` is the larger one of this error and of the error from the dilution.
    epoch.errorStatistics = ErrorStatistics(
      latitude: horizontal.map { $0 / 2.0.squareRoot() }, altitude: statistics?.altitude ?? vertical)
  }

  /// Returns an error that is an estimate of the receiver, and nil otherwise. If the receiver reports no error, gpsd
  /// multiplies a factor by a dilution of precision of the latest seconds (`recent`), which the gateway has, too.
  private func own(_ error: Double?, _ recent: [Double], _ factors: [Double]) -> Double? {
    guard let error, let least = recent.min(), let most = recent.max() else { return error }
    // gpsd rounds the dilutions in its reports.
    return factors.contains { factor in (0.95 * factor * least...1.05 * factor * most).contains(error) } ? nil : error
  }
}
