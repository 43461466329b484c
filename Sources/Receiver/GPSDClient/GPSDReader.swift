import Clocks
import GNSS

/// Lines of gpsd to epochs: a value that is told when bytes arrive.
///
/// TPV makes an epoch. SKY and GST that come before or behind it belong to it: it waits for those that followed the one
/// before, and for no more than `patience`. A time that is repeated is stale. Of several receivers the one that was
/// heard first is followed, until it says nothing for five seconds.
struct GPSDReader: Sendable {
  /// Longer lines are no reports. (gpsd writes at most 10,240 bytes)
  static let maximumLine = 65_536
  static let patience = Duration.milliseconds(20)
  private static let loyalty = Duration.seconds(5)

  private struct Kinds: OptionSet {
    let rawValue: UInt8
    static let sky = Kinds(rawValue: 1)
    static let errors = Kinds(rawValue: 2)
  }

  /// As in `3.22`; nil until it has introduced itself.
  private(set) var release: String?
  /// Whether something else than gpsd speaks.
  private(set) var isStranger = false
  /// Lines that were no reports.
  private(set) var brokenLines = 0
  /// When to call `idle` if nothing arrives before.
  private(set) var nextDeadline: MonotonicInstant?

  private var line: [UInt8] = []
  private var isOverlong = false
  private var device: String?
  private var heard: MonotonicInstant?
  private var held: (TPV, began: MonotonicInstant)?
  private var lastTime: UTCTime?
  private var sky: SKY?
  private var errors: GST?
  /// When the last position came, what followed it at once, and what the one before; nil as long as there was none.
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
    handOver(at: now, epoch)
  }

  private mutating func endLine(at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    defer {
      line.removeAll(keepingCapacity: true)
      isOverlong = false
    }
    if line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }), !isOverlong { return }
    guard !isOverlong, let report = GPSDReport(line: line) else {
      brokenLines += 1
      if release == nil { isStranger = true }
      return
    }
    switch report {
    case .version(let release): self.release = self.release ?? release
    case .position(let position) where isFollowed(position.device, at: now): take(position, at: now, epoch)
    case .sky(let sky) where isFollowed(sky.device, at: now): take(sky, at: now, epoch)
    case .errors(let errors) where isFollowed(errors.device, at: now):
      self.errors = errors
      note(.errors, at: now, epoch)
    case .position, .sky, .errors, .other: break
    }
  }

  private mutating func isFollowed(_ name: String?, at now: MonotonicInstant) -> Bool {
    guard let name else { return true }
    if device != name {
      if let heard, now - heard < GPSDReader.loyalty { return false }
      device = name
      (sky, errors, lastTime) = (nil, nil, nil)
    }
    heard = now
    return true
  }

  private mutating func take(_ position: TPV, at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    if let held, held.0.time == position.time, position.time != nil {
      // gpsd tells of one instant again when it knows more.
      self.held = (position, held.began)
      return
    }
    handOver(at: now, epoch)
    if let time = position.time, time == lastTime { return }
    if positionArrived != nil { followed = following }
    following = []
    positionArrived = now
    held = (position, now)
    nextDeadline = now + GPSDReader.patience
    complete(at: now, epoch)
  }

  private mutating func take(_ sky: SKY, at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    var sky = sky
    // Some say dilutions and satellites apart.
    if sky.satellites == nil {
      sky.satellites = self.sky?.satellites
      sky.satellitesUsed = sky.satellitesUsed ?? self.sky?.satellitesUsed
    }
    self.sky = sky
    note(.sky, at: now, epoch)
  }

  private mutating func note(_ kind: Kinds, at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    // What comes later precedes the next position.
    if let positionArrived, now - positionArrived <= GPSDReader.patience { following.formUnion(kind) }
    complete(at: now, epoch)
  }

  private mutating func complete(at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    if held != nil, let followed, following.isSuperset(of: followed) { handOver(at: now, epoch) }
  }

  private mutating func handOver(at now: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    guard let (position, began) = held else { return }
    held = nil
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
      // Without an altitude no fix has three dimensions.
      epoch.mode = position.altitude == nil ? .twoDimensional : position.mode
      epoch.altitude = epoch.mode == .threeDimensional ? position.altitude : nil
      epoch.geoidSeparation = position.geoidSeparation
      epoch.speed = position.speed
      epoch.course = position.course
      // Errors of another instant are none of this one.
      if let errors, errors.time == nil || errors.time == position.time { epoch.errorStatistics = errors.errors }
    }
    epoch.satellites = sky?.satellites ?? []
    epoch.satellitesUsed = sky?.satellitesUsed
    epoch.dilutionOfPrecision = sky?.dilution ?? DilutionOfPrecision()
  }
}
