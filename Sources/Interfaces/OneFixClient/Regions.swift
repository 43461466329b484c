import LineProtocol
import Synchronization

extension OneFixClient {
  /// Has the gateway watch a circle, also while the app is not running; one of the same id is replaced.
  ///
  /// An app that may always know, precisely, hears of crossings by ``regionEvents``; otherwise the gateway tells its
  /// owner the region's text, and the app nothing.
  /// - Parameter region: 100 m to 100 km of radius.
  /// - Throws: ``ClientError/restricted(_:)`` where the owner allows no regions, ``ClientError/notDetermined(_:)``,
  ///   ``ClientError/denied(_:)``, ``ClientError/tooMany(_:)`` beyond 20, ``ClientError/tooSoon(_:retryAfter:)`` where
  ///   they were changed too often.
  public func addRegion(_ region: Region) async throws(ClientError) { _ = try await say(.region(.add(region))) }

  /// Has the gateway forget a region.
  /// - Parameter id: the region's.
  /// - Throws: ``ClientError/invalid(_:)`` where there is no such region, ``ClientError/tooSoon(_:retryAfter:)``.
  public func removeRegion(id: String) async throws(ClientError) { _ = try await say(.region(.remove(id: id))) }

  private static let mostAttempts = 5

  /// The app's regions, also those of an earlier run.
  /// - Throws: ``ClientError/restricted(_:)`` where the owner allows no regions.
  public func regions() async throws(ClientError) -> [Region] {
    let listed = ListedRegions()
    // Some may be lost on the way.
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

/// Regions as they are listed: each once, also where the list had to be asked for twice.
private final class ListedRegions: Sendable {
  /// More than any gateway lets an app have.
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
