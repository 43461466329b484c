import LineProtocol
import Synchronization

extension OneFixClient {
  /// Registers a region of the app at the gateway, or replaces the app's region with the same id. The gateway watches
  /// the region even while the app is not running.
  ///
  /// An app with the status `always` and full accuracy receives an event through ``regionEvents`` when the device
  /// enters or leaves the region. For other apps, only the gateway's owner sees the region's text.
  ///
  /// - Parameter region: A region with a radius of 100 m to 100 km.
  /// - Throws: ``ClientError/restricted(_:)`` if the owner allows no regions. ``ClientError/notDetermined(_:)`` or
  ///   ``ClientError/denied(_:)`` if the app has no authorization. ``ClientError/tooMany(_:)`` if the app already has
  ///   20 regions. ``ClientError/tooSoon(_:retryAfter:)`` if the app changed its regions too often.
  public func addRegion(_ region: Region) async throws(ClientError) { _ = try await send(.region(.add(region))) }

  /// Removes a region of the app from the gateway.
  ///
  /// - Throws: ``ClientError/invalid(_:)`` if the region does not exist. ``ClientError/tooSoon(_:retryAfter:)`` if the
  ///   app changed its regions too often.
  public func removeRegion(id: String) async throws(ClientError) { _ = try await send(.region(.remove(id: id))) }

  private static let mostAttempts = 5

  /// Returns the app's regions, including regions from an earlier run of the app. Throws ``ClientError/restricted(_:)``
  /// if the owner allows no regions.
  public func regions() async throws(ClientError) -> [Region] {
    let listed = ListedRegions()
    // On a serial port, lines of the list can be lost. The client then requests the list again.
    for _ in 0..<Self.mostAttempts {
      let reply = try await send(.region(.list)) { message in
        guard message.topic == Topic.regions.rawValue else { return false }
        if let region = Region(json: message.json) { listed.add(region) }
        return true
      }
      if (reply["count"].flatMap { Int($0) } ?? 0) <= listed.all.count { return listed.all }
    }
    throw .connectionLost
  }
}

/// Collects the regions of a list from the gateway. If the connection is lost, the client requests the list again, so
/// duplicates are removed.
private final class ListedRegions: Sendable {
  /// The maximum number of regions to keep in memory, which is more than any gateway permits.
  private static let most = 1000

  private let regions = Mutex<[Region]>([])

  var all: [Region] { regions.withLock { $0 } }

  func add(_ region: Region) {
    regions.withLock { regions in
      regions.removeAll { $0.id == region.id }
      if regions.count < Self.most { regions.append(region) }
    }
  }
}
