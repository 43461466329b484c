import Authorization
package import Base
import Cloaking
import GNSS
package import LineProtocol
package import StateStore

/// The places (named circles) of the owner, and the present answers to apps that receive only names of places. Only the
/// Swift module `Disclosure` can compare a position with a place.
package struct SealedPlaces: Sendable {
  private var monitor = PlaceMonitor()
  private var slots: SlotSchedule

  package static let most = PlaceMonitor.most
  /// The name of the encrypted places in the state store.
  package static let name = "places"
  /// The version in the first byte of `encoded`. Version 1 did not contain the schedule of the answers.
  private static let version: UInt8 = 2
  /// The maximum delay of the receiver's clock at the beginning of a quarter hour that is ignored, in nanoseconds.
  private static let tolerance: Int64 = 5_000_000_000

  /// Creates a value without places.
  ///
  /// - Parameter boot: The identifier of the present boot of the machine; empty if the identifier is unknown.
  package init(boot: String) { slots = SlotSchedule(boot: boot) }

  /// Reads the places that an earlier run of the daemon saved. Throws `PlacesUnavailable` if this version cannot decode
  /// the saved places.
  package init(from store: StateStore, boot: String) throws {
    guard let bytes = try store.unseal(Self.name) else {
      self.init(boot: boot)
      return
    }
    guard let saved = SealedPlaces(encoded: bytes, boot: boot) else {
      throw PlacesUnavailable("the saved places have an unknown form")
    }
    self = saved
  }

  init?(encoded bytes: [UInt8], boot: String) {
    var reader = BigEndianReader(bytes)
    var slot: SavedSlot? = .unknown
    if bytes.first == Self.version {
      _ = reader.number() as UInt8?
      slot = SavedSlot(&reader)
    }
    guard let slot, let monitor = PlaceMonitor(encoded: Array(reader.bytes)) else { return nil }
    self.monitor = monitor
    slots = SlotSchedule(resuming: slot, boot: boot)
  }

  /// The places and the present answers to apps as bytes, without encryption.
  package var encoded: [UInt8] { [Self.version] + slots.record.encoded + monitor.encoded() }

  // MARK: Owners

  /// Applies an owner's command about places (named circles).
  ///
  /// - Parameter fix: The latest fix of the receiver, for a new place at the present position; nil if there is no fix.
  /// - Returns: The apps that lost the permission to know the name of a place.
  package mutating func change(
    _ command: PlaceCommand, _ fix: SealedFix?, at now: MonotonicInstant
  ) throws(LineError) -> [AppID] {
    let before = monitor
    switch command {
    case .list: break
    case .add(let name, let radius, let centre):
      var centre = centre
      if centre == nil { centre = try Self.position(fix, within: radius, at: now) }
      guard let centre, monitor.add(try NamedPlace(name: name, centre: centre, radius: radius)) else {
        throw LineError(.tooMany, "there can be at most \(Self.most) places (remove one with PLACE DEL)")
      }
    case .remove(let name):
      try check([name])
      monitor.remove(name)
    case .allow(let app, let names):
      try check(names)
      monitor.allow(names, to: app)
    case .deny(let app, let names):
      try check(names)
      monitor.deny(names.isEmpty ? monitor.places.map(\.name) : names, to: app)
    }
    return before.known(notIn: monitor).compactMap { AppID($0) }
  }

  private func check(_ names: [String]) throws(LineError) {
    for name in names where !monitor.places.contains(where: { $0.name == name }) {
      throw LineError(.badArgument, "no place \(name) (PLACE LIST lists the places)")
    }
  }

  private static func position(
    _ fix: SealedFix?, within radius: Double, at now: MonotonicInstant
  ) throws(LineError) -> Coordinate {
    guard let fix, fix.arrived >= now - PlaceMonitor.oldestFix else {
      throw LineError(.noFix, "the receiver has no fix now (wait for one, or give the position of the place)")
    }
    guard fix.fix.horizontalAccuracy <= radius else {
      throw LineError(.noFix, "the present fix is less accurate than the radius (wait for a better fix)")
    }
    return fix.fix.coordinate
  }

  /// The apps that may know the name of at least one place (a named circle), sorted.
  package var apps: [AppID] { monitor.apps.compactMap { AppID($0) } }

  /// The places as JSON for the owners of the gateway, one object for each place, without coordinates.
  package var ownerJSON: [String] {
    monitor.places.sorted { $0.name < $1.name }.map { place in
      PlaceMessage.json {
        $0.name = place.name
        $0.radius = place.radius
        $0.apps = monitor.apps(knowing: place.name).joined(separator: ",")
      }
    }
  }

  // MARK: Fixes and slots

  package var isEmpty: Bool { monitor.isEmpty }

  /// Sets the side of the device (inside or outside) to unknown for each place. Later fixes determine the side again.
  package mutating func forgetSides() { monitor.forgetSides() }

  mutating func watch(_ fix: SealedFix) {
    monitor.update(fix.fix.coordinate, accuracy: fix.fix.horizontalAccuracy, at: fix.arrived)
  }

  /// The end of the present slot (a period of at least 15 minutes in which answers to apps stay the same); nil before
  /// the first slot.
  var slotEnd: MonotonicInstant? { slots.end }

  /// Whether an app may have received an answer in the present slot (a period of at least 15 minutes in which answers
  /// stay the same).
  var isAnswered: Bool { slots.isAnswered }

  /// Begins a new slot if the present slot has ended, or continues the slot of an earlier run of the daemon. A slot is
  /// a period of at least 15 minutes in which answers to apps stay the same.
  ///
  /// - Parameter utc: The time of the receiver, or the time of this machine.
  /// - Returns: Whether a slot began or was continued.
  mutating func advance(to now: MonotonicInstant, utc: UTCTime, isLocked: Bool) -> Bool {
    switch slots.advance(to: now, utc: utc) {
    case nil: return false
    case .resumed: monitor.resumeSlot(utc.quarterHour.number)
    case .began(let isBoundary):
      monitor.beginSlot(utc.quarterHour.number, mayEvaluate: isBoundary && !isLocked, at: now)
    }
    return true
  }

  /// Records that the machine was suspended, so that the sides of the borders and the present answers may be old.
  mutating func noteSuspension(utc: UTCTime?) {
    slots.noteSuspension()
    monitor.noteSuspension(utc?.quarterHour.number)
  }

  // MARK: Answers

  /// Returns a report with the name of the place for an app; nil if the place is unknown. The answer stays the same for
  /// at least 15 minutes.
  ///
  /// - Parameter now: The monotonic time, and the UTC time of the receiver or of this machine.
  mutating func answer(to app: AppID, isByPress: Bool, at now: ClockReading) -> FixReport? {
    let name = monitor.answer(to: app.name, isByPress: isByPress, isFormer: slots.isFormer, at: now.monotonic)
    guard let name else { return nil }
    slots.noteAnswer(at: now.monotonic)
    return FixReport(place: name, time: quarterHour(at: now))
  }

  /// Returns the beginning of the present quarter hour of UTC. At the beginning of a slot, a receiver's clock up to 5 s
  /// late still gives the new quarter hour.
  private func quarterHour(at now: ClockReading) -> UTCTime {
    let missing = Slot.length - now.utc.quarterHour.elapsed
    let isBeginning = slots.begin.map { now.monotonic - $0 <= .nanoseconds(Self.tolerance) } ?? false
    guard isBeginning, missing <= Self.tolerance else { return now.utc.startOfQuarterHour }
    return now.utc(at: now.monotonic + .nanoseconds(missing))
  }

  /// Sets the due time of the next message of continuous updates to a time at which the answers may change.
  func schedule(_ updates: inout QuarterHours) { updates.follow(slots.end) }
}

/// The error that the gateway cannot read the saved places (named circles) of the owner.
package struct PlacesUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The places (named circles) of the owner, or the error that the gateway cannot read the places.
package typealias PlacesState = Result<SealedPlaces, PlacesUnavailable>

/// Answers with names of places, for apps that receive no positions.
extension DisclosureGate {
  package mutating func adopt(_ places: SealedPlaces) { self.places = .success(places) }

  /// Determines from a new fix for each place whether the device is inside or outside.
  package mutating func watchPlaces(_ fix: SealedFix) {
    if case .success(var places) = places {
      places.watch(fix)
      self.places = .success(places)
    }
  }

  /// Begins a new slot (a period of at least 15 minutes in which answers about places stay the same) if the present
  /// slot has ended.
  ///
  /// - Parameter isWanted: Whether an app may need the name of a place soon. The first slot begins only if the value is
  ///   true.
  /// - Returns: Whether a slot began or was continued, so that the gateway must serve waiting apps.
  @discardableResult
  package mutating func advancePlaces(
    _ fix: SealedFix?, isLocked: Bool, isWanted: @autoclosure () -> Bool, at now: ClockReading
  ) -> Bool {
    guard case .success(var places) = places, places.slotEnd != nil || isWanted() else { return false }
    guard let utc = reducedUTC(fix, at: now) else { return false }
    let isFirst = places.slotEnd == nil
    let wasAnswered = places.isAnswered
    let hasBegun = places.advance(to: now.monotonic, utc: utc, isLocked: isLocked)
    self.places = .success(places)
    if wasAnswered, !places.isAnswered { isPlaceSlotOver = true }
    if hasBegun, !isFirst { isPlaceWanted = false }
    return hasBegun
  }

  /// Returns the report with the name of a place for an app. Without a press of the button, the name changes only at
  /// scheduled times, so that the changes do not reveal the state of the receiver.
  mutating func place(
    for request: DisclosureRequest, _ fix: SealedFix?, at now: ClockReading
  ) throws -> Disclosed {
    if case .once(let once) = request {
      if once.grant.press == nil {
        isPlaceWanted = true
      } else {
        // The slots begin only with a fix, so that they have the time of the receiver. The clock of this machine may be
        // wrong until then.
        guard let fix, Self.isFresh(fix, for: once, at: now.monotonic) else { throw DisclosureFailure.pending }
      }
    }
    if try self.places.get().slotEnd == nil { advancePlaces(fix, isLocked: false, isWanted: true, at: now) }
    var places = try self.places.get()
    // If the slot has ended, the gateway first begins the next slot, and then serves all apps that wait.
    guard let end = places.slotEnd, now.monotonic < end, let utc = reducedUTC(fix, at: now) else {
      throw DisclosureFailure.pending
    }
    let now = ClockReading(monotonic: now.monotonic, utc: utc)
    defer { self.places = .success(places) }
    switch request {
    case .once(let once):
      guard let report = places.answer(to: request.app, isByPress: once.grant.press != nil, at: now) else {
        throw DisclosureFailure.pending
      }
      return .approximate(report, sealing: SealedMemory(SealedPlaces.name, places.encoded))
    case .update(let update):
      var quarterHours = update.stream.quarterHours
      guard quarterHours.isDue(at: now.monotonic),
        let report = places.answer(to: request.app, isByPress: false, at: now)
      else { throw DisclosureFailure.pending }
      places.schedule(&quarterHours)
      return .scheduled(report, sealing: SealedMemory(SealedPlaces.name, places.encoded), quarterHours)
    case .redelivery, .publication, .crossing: return .kept
    }
  }
}
