import Authorization
import Clocks
import Disclosure
import LineProtocol
import Logging
import Ports
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
    guard case .success(var places) = gate.places else {
      throw LineError(.store, "the saved places cannot be read (the gateway's log has the cause)")
    }
    let losers = try places.change(command, receiver.latest, at: now.monotonic)
    do {
      try log.seal(places.encoded, as: SealedPlaces.name)
    } catch {
      perform([.log(LogMessage(.store, .error, "cannot write the places", ["cause": "\(error)"]))], at: now)
      throw LineError(.store, "the gateway cannot save the places (its log has the cause)")
    }
    gate.adopt(places)
    // Names that an app may no longer know must not leave the gateway.
    perform(losers.map { .effect(.eraseUndelivered($0), by: nil) }, at: now)
  }

  /// The places as JSON for owners, without coordinates.
  var placesJSON: [String] { (try? gate.places.get().ownerJSON) ?? [] }

  /// Advances the slots of the places.
  /// - Returns: Whether a new slot has begun.
  mutating func advancePlaces(at now: ClockReading) -> Bool {
    let authorization = authorization
    return gate.advancePlaces(
      receiver.latest, isLocked: authorization.isLocked,
      isWanted: authorization.updates.values.contains {
        authorization.accuracy(of: $0.app, in: $0.session) == .place
      }, at: now)
  }
}
