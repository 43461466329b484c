package import Authorization
package import Base
import Cloaking
import GNSS
package import LineProtocol
package import StateStore

/// The regions (circles on the ground) of all apps. For each region, the value contains whether the device is inside.
/// Only the Swift module `Disclosure` can compare a position with a region.
package struct SealedRegions: Sendable {
  package typealias Crossing = (app: AppID, event: RegionEvent)

  private var monitor = RegionMonitor()
  /// Whether the state store still contains the regions in the format of an earlier version of OneFix.
  private var hasFormerValue = false

  /// The maximum count of regions of one app.
  package static let most = RegionMonitor.most
  private static let formerName = "regions"

  package init() {}

  /// Reads the regions that an earlier run of the daemon saved. Throws `RegionsUnreadable` if this version cannot
  /// decode the saved regions.
  package init(from store: StateStore) throws {
    let former = try store.unseal(Self.formerName)
    let saved = try store.regions()
    guard let monitor = former.map(RegionMonitor.init(encoded:)) ?? RegionMonitor(saved: saved) else {
      throw RegionsUnreadable()
    }
    self.monitor = monitor
    hasFormerValue = former != nil
  }

  /// Saves the regions that have changed since the previous save.
  ///
  /// - Parameter isWhole: Whether to save all regions. The duration and the size of such a save do not depend on whether
  ///   a region has changed.
  package func save(in store: StateStore, isWhole: Bool = false) throws(StoreError) {
    try store.save(
      regions: isWhole ? monitor.allRegions : monitor.unsavedRegions,
      replacing: hasFormerValue ? Self.formerName : nil)
  }

  package mutating func noteSaved() {
    monitor.noteSaved()
    hasFormerValue = false
  }

  /// Makes the next save contain all regions of an app.
  package mutating func noteUnsaved(of app: AppID) { monitor.noteUnsaved(of: app.name) }

  /// Whether the state store contains all changes of the regions that must be saved at once.
  package var isSaved: Bool { monitor.isSaved && !hasFormerValue }

  package static func erase(from store: StateStore) throws(StoreError) { try store.eraseRegions(and: formerName) }

  package var isEmpty: Bool { monitor.isEmpty }

  package var apps: [AppID] { monitor.apps.compactMap { AppID($0) } }

  package func regions(of app: AppID) -> [Region] { monitor.regions(of: app.name) }

  package func region(_ id: String, of app: AppID) -> Region? { regions(of: app).first { $0.id == id } }

  package func registered(_ id: String, of app: AppID) -> UTCTime? { monitor.registered(id, of: app.name) }

  /// Registers a region, or replaces the region with the same identifier. Returns false if the app, or all apps
  /// together, already have the maximum count of regions.
  package mutating func add(_ region: Region, of app: AppID, at registered: UTCTime) -> Bool {
    monitor.add(region, of: app.name, at: registered)
  }

  package mutating func remove(_ id: String, of app: AppID) { monitor.remove(id, of: app.name) }

  package mutating func removeAll(of app: AppID) { monitor.removeAll(of: app.name) }

  package mutating func forgetSides() { monitor.forgetSides() }

  /// Determines from a new fix for each region of the given apps whether the device is inside or outside.
  ///
  /// - Parameter told: The apps that get the messages about their regions themselves. Only the new sides of their
  ///   regions must be saved at once.
  /// - Returns: The entries and exits about which the apps want a message.
  package mutating func update(with fix: SealedFix, for apps: Set<AppID>, told: Set<AppID>) -> [Crossing] {
    monitor.update(
      fix.fix.coordinate, accuracy: fix.fix.horizontalAccuracy, at: fix.arrived,
      isWatched: { app in AppID(app).map(apps.contains) ?? false },
      isTold: { app in AppID(app).map(told.contains) ?? false }
    ).compactMap { crossing in
      AppID(crossing.app).map { (app: $0, event: RegionEvent(region: crossing.region.id, isEntry: crossing.isEntry)) }
    }
  }

  /// Returns a region as JSON for the owners of the gateway. The object tells whether the device is inside.
  package func ownerJSON(_ region: Region, of app: AppID) -> String {
    let side = monitor.side(of: region.id, of: app.name)
    return RegionMessage.json {
      $0.app = app.name
      $0.id = region.id
      $0.radius = region.radius
      $0.events = region.events.text
      $0.state = side.map { $0 == .inside ? "inside" : "outside" } ?? "unknown"
      $0.text = region.text
    }
  }
}

struct RegionsUnreadable: Error, CustomStringConvertible {
  let description = "the saved regions have an unknown form"
}
