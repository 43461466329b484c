import Authorization
import Clocks
import Disclosure
import LineProtocol
import Logging
import Ports
import StateStore
import Telemetry

/// The places of the owner. Only the gate reads them.
extension Router {
  /// Executes an owner's command on the places. A change takes effect only if it is durable.
  /// - Throws: The error for the owner.
  mutating func execute(place command: PlaceCommand, at now: ClockReading) throws(LineError) {
    switch command {
    case .allow(let app, _), .deny(let app, _): _ = try knownApp(app)
    case .add(_, _, nil) where authorization.isLocked: throw Self.lockedError
    case .add, .remove, .list: break
    }
    var places = try readablePlaces
    let losers = try places.change(command, receiver.latest, at: now.monotonic)
    // Names that an app may no longer know must not leave the gateway. They are removed from the queues before the
    // write to the store, because a write takes time.
    perform(losers.map { .effect(.eraseUndelivered($0), by: nil) }, at: now)
    let isRevocation =
      switch command {
      case .deny, .remove: true
      case .add, .allow, .list: false
      }
    if isRevocation {
      // A withdrawn name is not used again, even if the write fails.
      gate.adopt(places)
      perform(log.handle(.revoke(value: SealedPlaces.name, to: places.encoded), at: now.monotonic), at: now)
      if log.isUnsaved(value: SealedPlaces.name) { throw log.unsavedError }
      return
    }
    do {
      try log.seal(places.encoded, as: SealedPlaces.name)
    } catch {
      perform([Self.unwritten(error)], at: now)
      throw LineError(.store, "the gateway cannot save the places (its log has the cause)")
    }
    gate.adopt(places)
  }

  private static func unwritten(_ error: StoreError) -> Action {
    .log(LogMessage(.store, .error, "cannot write the places", ["cause": "\(error)"]))
  }

  private var readablePlaces: SealedPlaces {
    get throws(LineError) {
      guard case .success(let places) = gate.places else {
        throw LineError(.store, "the saved places cannot be read (the gateway's log has the cause)")
      }
      return places
    }
  }

  /// The places as JSON for owners, without coordinates.
  var placesJSON: [String] { get throws(LineError) { try readablePlaces.ownerJSON } }

  /// The apps that may know a name of a place, sorted.
  var appsWithNames: [AppID] { (try? gate.places.get().apps) ?? [] }

  /// Forgets for each place whether the device is inside, because the kill switch was switched on or off. Otherwise an
  /// app could receive the name of a place that the device left while the kill switch was on.
  mutating func forgetPlaceSides() -> [Action] {
    guard case .success(var places) = gate.places else { return [] }
    places.forgetSides()
    gate.adopt(places)
    if places.isEmpty { return [] }
    return log.handle(.revoke(value: SealedPlaces.name, to: places.encoded), at: clock().monotonic)
  }

  /// Advances the slots of the places.
  /// - Returns: Whether a new slot has begun.
  mutating func advancePlaces(at now: ClockReading) -> Bool {
    let isWanted = authorization.areUpdatesRunning(with: .place)
    return gate.advancePlaces(receiver.latest, isLocked: authorization.isLocked, isWanted: isWanted, at: now)
  }
  /// Saves how much of the slots of the cloak and of the places has passed. A failure has no effect except that after a
  /// restart of the machine the slots take longer.
  mutating func saveSlots(isStopping: Bool = false, at now: ClockReading) {
    if isStopping {
      advanceCloak(at: now)
      _ = advancePlaces(at: now)
    }
    for memory in gate.drainSlots(isStopping: isStopping) {
      do { try log.seal(memory) } catch {
        perform(
          [.log(LogMessage(.store, .warning, "cannot save the end of a slot", ["cause": "\(error)"]))], at: now)
      }
    }
  }
}
