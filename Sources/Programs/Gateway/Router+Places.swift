import Authorization
import Base
import Disclosure
import LineProtocol
import Logging
import OperatingSystem

// The places of the owner. Only the disclosure gate reads their coordinates.
extension Router {
  /// Executes a command of an owner (administrator) about the named places. A change takes effect only if it is saved.
  /// - Throws: The error for the owner.
  mutating func execute(place command: PlaceCommand, at now: ClockReading) throws(LineError) {
    switch command {
    case .allow(let app, _), .deny(let app, _): _ = try knownApp(app)
    case .add(_, _, nil) where authorization.isLocked: throw Self.lockedError
    case .add, .remove, .list: break
    }
    var places = try readablePlaces
    let losers = try places.change(command, receiver.latest, at: now.monotonic)
    // Names that an app may no longer know must not leave the gateway. They are recalled from the queues before the
    // write to the store, because a write takes time.
    for app in losers { eraseUndelivered(app, at: now) }
    switch command {
    case .deny, .remove:
      disclosures.revoke(places, at: now, &outputs)
      if disclosures.log.isUnsaved(value: SealedPlaces.name) || losers.contains(where: disclosures.log.isUnsaved) {
        throw disclosures.log.unsavedError
      }
    case .add, .allow, .list:
      do { try disclosures.log.seal(places.encoded, as: SealedPlaces.name) } catch {
        outputs.log(.store, .error, "cannot write the places", ["cause": "\(error)"])
        throw LineError(.store, "the gateway cannot save the places (its log has the cause)")
      }
      disclosures.adopt(places)
    }
  }

  private var readablePlaces: SealedPlaces {
    get throws(LineError) {
      guard case .success(let places) = disclosures.places else {
        throw LineError(.store, "the saved places cannot be read (the gateway's log has the cause)")
      }
      return places
    }
  }

  /// The named places as JSON for owners (administrators), without coordinates.
  var placesJSON: [String] { get throws(LineError) { try readablePlaces.ownerJSON } }

  /// The apps that are permitted to get the name of at least one place, sorted.
  var appsWithNames: [AppID] { (try? disclosures.places.get().apps) ?? [] }

  /// Erases for each named place whether the device is inside. The gateway calls this function after each change of the
  /// kill switch, so that no app gets the name of a place that the device left in the meantime.
  mutating func forgetPlaceSides(at now: ClockReading) {
    guard case .success(var places) = disclosures.places else { return }
    places.forgetSides()
    if places.isEmpty { disclosures.adopt(places) } else { disclosures.revoke(places, at: now, &outputs) }
  }
}
