import LineProtocol
import Synchronization

extension OneFixClient {
  /// Registers a region, which the gateway watches even while the app is not running. A region with the same id is
  /// replaced.
  ///
  /// An app that is authorized at any time with full accuracy receives crossings by ``regionEvents``. For other apps
  /// the gateway shows the region's text to its owner, and the app receives no event.
  /// - Parameter region: a region with a radius of 100 m to 100 km.
  /// - Throws: ``ClientError/restricted(_:)`` if the owner allows no regions, ``ClientError/notDetermined(_:)``,
  ///   ``ClientError/denied(_:)``, ``ClientError/tooMany(_:)`` beyond 20, ``ClientError/tooSoon(_:retryAfter:)`` if the
  ///   app changed its regions too often.
  public func addRegion(_ region: Region) async throws(ClientError) { _ = try await say(.region(.add(region))) }

  /// Removes a region.
  /// - Parameter id: the region's id.
  /// - Throws: ``ClientError/invalid(_:)`` if the region does not exist, ``ClientError/tooSoon(_:retryAfter:)``.
  public func removeRegion(id: String) async throws(ClientError) { _ = try await say(.region(.remove(id: id))) }

  private static let mostAttempts = 5

  /// Returns the app's regions, including regions from an earlier run.
  /// - Throws: ``ClientError/restricted(_:)`` if the owner allows no regions.
  public func regions() async throws(ClientError) -> [Region] {
    let listed = ListedRegions()
    // Lines of the list can be lost on a serial line.
    for _ in 0..<Self.mostAttempts {
      let reply = try await say(.region(.list)) { message in
        guard message.topic == Topic.regions.rawValue else { return false }
        if let region = Region(json: message.json) { listed.add(region) }
        return true
      }
      if (reply["count"].flatMap { Int($0) } ?? 0) <= listed.all.count { return listed.all }
    }
    throw .connectionLost
  }
}

/// The listed regions, each of them once, even if the list was requested twice.
private final class ListedRegions: Sendable {
  /// A limit above the maximum number of regions of any gateway.
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
