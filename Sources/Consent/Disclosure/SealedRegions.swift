package import Authorization
package import Clocks
import GNSS
package import LineProtocol
import Regions
package import StateStore

/// The regions of all apps, and the information whether the device is inside each region. Only this module can compare
/// a position with a region. Other modules of the gateway can read only the values with which the apps registered the
/// regions.
package struct SealedRegions: Sendable {
  /// The event that the device enters or leaves a region of an app.
  package typealias Crossing = (app: AppID, event: RegionEvent)

  private var monitor = RegionMonitor()

  /// The maximum number of regions of one app.
  package static let most = RegionMonitor.most
  /// The name under which the store keeps the regions.
  private static let name = "regions"

  package init() {}

  /// Reads the saved regions of an earlier run of the daemon. If no regions were saved, the result is empty.
  ///
  /// - Throws: `StoreError`, or `RegionsUnreadable` if this version cannot decode the saved regions.
  package init(from store: StateStore) throws {
    guard let bytes = try store.unseal(Self.name) else { return }
    guard let monitor = RegionMonitor(encoded: bytes) else { throw RegionsUnreadable() }
    self.monitor = monitor
  }

  /// Saves the regions, sealed with the device's key.
  package func save(in store: StateStore) throws(StoreError) { try store.seal(monitor.encoded(), as: Self.name) }

  package static func erase(from store: StateStore) throws(StoreError) { try store.erase(name) }

  package var isEmpty: Bool { monitor.isEmpty }

  /// The apps that have regions.
  package var apps: [AppID] { monitor.apps.compactMap { AppID($0) } }

  package func regions(of app: AppID) -> [Region] { monitor.regions(of: app.name) }

  package func region(_ id: String, of app: AppID) -> Region? { regions(of: app).first { $0.id == id } }

  /// Returns the time at which an app registered the region; nil if the gateway has not saved that time.
  package func registered(_ id: String, of app: AppID) -> UTCTime? { monitor.registered(id, of: app.name) }

  /// - Returns: False if the app already has the maximum number of regions.
  package mutating func add(_ region: Region, of app: AppID, at registered: UTCTime) -> Bool {
    monitor.add(region, of: app.name, at: registered)
  }

  package mutating func remove(_ id: String, of app: AppID) { monitor.remove(id, of: app.name) }

  package mutating func removeAll(of app: AppID) { monitor.removeAll(of: app.name) }

  package mutating func forgetSides() { monitor.forgetSides() }

  /// Compares a fix with the regions of the given apps.
  ///
  /// - Returns: The entries and exits about which these apps want a message. `isChanged` is true if the device is now
  ///   inside a region that it was outside before, or outside a region that it was inside before.
  package mutating func update(with fix: SealedFix, for apps: Set<AppID>) -> (crossings: [Crossing], isChanged: Bool) {
    let (crossings, isChanged) = monitor.update(
      fix.fix.coordinate, accuracy: fix.fix.horizontalAccuracy, at: fix.arrived
    ) { app in AppID(app).map(apps.contains) ?? false }
    let events = crossings.compactMap { crossing in
      AppID(crossing.app).map { (app: $0, event: RegionEvent(region: crossing.region.id, isEntry: crossing.isEntry)) }
    }
    return (events, isChanged)
  }

  /// Returns a region as JSON for owners. The JSON also tells whether the device is inside the region.
  package func ownerJSON(_ region: Region, of app: AppID) -> String {
    let side = monitor.side(of: region.id, of: app.name)
    return JSONObject.text([
      "app": app.name, "id": region.id, "radius": region.radius, "events": region.events.text,
      "state": side.map { $0 == .inside ? "inside" : "outside" } ?? "unknown", "text": region.text,
    ])
  }
}

/// The error of `init(from:)` if this version cannot decode the saved regions.
struct RegionsUnreadable: Error, CustomStringConvertible {
  let description = "the saved regions have an unknown form"
}
