import Authorization
import Clocks
import LineProtocol
import Regions
import StateStore

/// Apps' regions, and where the device is as far as they go. The latter only `Disclosure` can look at: it alone can make
/// the key that opens the monitor. What is to be had without it is what the apps said themselves.
struct SealedRegions {
  private var monitor = RegionMonitor()

  /// How many one app may have.
  static let most = RegionMonitor.most
  /// As the store knows them.
  static let name = "regions"

  init() {}

  /// Those that were kept; none where there are none.
  /// - Throws: `StoreError`, or `RegionsUnreadable`
  init(keptIn store: StateStore) throws {
    guard let bytes = try store.unseal(Self.name) else { return }
    guard let monitor = RegionMonitor(encoded: bytes) else { throw RegionsUnreadable() }
    self.monitor = monitor
  }

  /// Keeps them on the disk, sealed with the device's key.
  func keep(in store: StateStore) throws(StoreError) { try store.seal(monitor.encoded(), as: Self.name) }

  var isEmpty: Bool { monitor.isEmpty }

  /// Apps that have regions.
  var apps: [AppID] { monitor.apps.compactMap { AppID($0) } }

  func regions(of app: AppID) -> [Region] { monitor.regions(of: app.name) }

  func region(_ id: String, of app: AppID) -> Region? { regions(of: app).first { $0.id == id } }

  /// - Returns: false where the app has as many as it may.
  mutating func add(_ region: Region, of app: AppID, at registered: UTCTime) -> Bool {
    monitor.add(region, of: app.name, at: registered)
  }

  /// When an app registered a region; nil if that was not kept.
  func registered(_ id: String, of app: AppID) -> UTCTime? { monitor.registered(id, of: app.name) }

  mutating func remove(_ id: String, of app: AppID) { monitor.remove(id, of: app.name) }

  mutating func removeAll(of app: AppID) { monitor.removeAll(of: app.name) }

  mutating func forgetSides() { monitor.forgetSides() }

  mutating func open<Result>(with key: RegionKey, _ body: (inout RegionMonitor) -> Result) -> Result { body(&monitor) }
}

/// What was kept is not what this version writes.
struct RegionsUnreadable: Error, CustomStringConvertible {
  let description = "the regions that were kept are not of a form that this version knows"
}
