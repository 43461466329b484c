import Authorization
import Base
import Disclosure
import LineProtocol
import Logging
import OperatingSystem
import StateStore

/// The state that the gateway reads from the store at its start.
struct StoredState {
  let store: StateStore
  /// The path of the file for changes that cannot be saved; nil to write no such file.
  let copyPath: String?
  let cloak: CloakState
  let places: PlacesState
  let authorization: Authorization
  /// The authorizations of apps whose accuracy the configuration has lowered. The caller must save these
  /// authorizations.
  let loweredRecords: [AppRecord]
  let regions: RegionWatcher
  let waitingFixes: [OutboxEntry]
  /// The log messages about damaged or unreadable state.
  let messages: [LogMessage]

  /// Reads the state from the store.
  /// - Throws: `StoreError` if the authorizations or the waiting fixes cannot be read.
  init(
    _ store: StateStore, copyPath: String?, _ cloak: CloakState, _ dependencies: GatewayDependencies,
    at now: ClockReading
  ) throws {
    self.store = store
    self.copyPath = copyPath
    self.cloak = cloak
    let policy = dependencies.policy
    let configured = Set(policy.authorization.newAppAccuracy.keys)
    let stored = try store.load(
      now: now, trustsClock: Self.trustsClock(of: store, dependencies, at: now), configured: configured)
    var messages = Self.settleFaults(in: store, configured: configured, at: now)
    authorization = Authorization(
      configuration: policy.authorization, records: stored.apps, isLocked: stored.isLocked,
      // An answer to a prompt of a former run must not reach another prompt.
      lastPromptID: store.isNew ? 0 : Int.random(in: 100..<900))
    let present = authorization.records
    loweredRecords = stored.apps.compactMap { former in present[former.app].flatMap { $0 == former ? nil : $0 } }
    waitingFixes = try store.waitingFixes()
    let (regions, message) = try Self.regions(in: store, dependencies, authorization)
    self.regions = regions
    if let message { messages.append(message) }
    places = Self.places(in: store, boot: dependencies.names.boot, isLocked: authorization.isLocked)
    if case .failure(let cause) = places {
      messages.append(
        LogMessage(
          .store, .error, "cannot read the places; no app receives the name of a place",
          ["cause": "\(cause)", "remedy": "restore the device key or the state"]))
    }
    self.messages = messages
  }

  /// Returns whether the wall clock is probably right. No receiver can confirm the wall clock yet, because the GNSS
  /// receiver has no time at the start.
  private static func trustsClock(
    of store: StateStore, _ dependencies: GatewayDependencies, at now: ClockReading
  ) -> Bool {
    let anchored = (try? store.latestAnchorTime()) ?? nil
    return dependencies.isWallClockSet && ClockFault(now, anchored: anchored, received: nil) == nil
  }

  /// Removes database rows that another program has changed, and denies each app whose authorization was changed.
  /// Returns the log messages about these faults.
  private static func settleFaults(
    in store: StateStore, configured: Set<AppID>, at now: ClockReading
  ) -> [LogMessage] {
    var messages = store.stateFaults.map { LogMessage(.store, .error, "\($0)", ["remedy": "\($0.remedy)"]) }
    do { try store.settleFaults(now: now, configured: configured) } catch {
      messages.append(
        LogMessage(
          .store, .error, "cannot save the denial of an app; the gateway tries again at the next start",
          ["cause": "\(error)"]))
    }
    return messages
  }

  private static func places(in store: StateStore, boot: String, isLocked: Bool) -> PlacesState {
    do {
      var places = try SealedPlaces(from: store, boot: boot)
      if isLocked { places.forgetSides() }
      return .success(places)
    } catch {
      return .failure(PlacesUnavailable("\(error)"))
    }
  }

  private static func regions(
    in store: StateStore, _ dependencies: GatewayDependencies, _ authorization: Authorization
  ) throws -> (RegionWatcher, LogMessage?) {
    var regions: SealedRegions
    do {
      guard dependencies.allowsRegions else {
        try SealedRegions.erase(from: store)
        return (RegionWatcher(), nil)
      }
      regions = try SealedRegions(from: store)
    } catch {
      let message = LogMessage(
        .regions, .error, "cannot watch regions",
        [
          "cause": "\(error)",
          "remedy":
            "restore the device key or the state, or start once with regions = false, which removes all regions",
        ])
      return (RegionWatcher(fault: "\(error)"), message)
    }
    let dropped = regions.apps.filter { !authorization.status(of: $0).allowsRegions }
    for app in dropped { regions.removeAll(of: app) }
    if authorization.isLocked { regions.forgetSides() }
    return (RegionWatcher(regions), nil)
  }
}
