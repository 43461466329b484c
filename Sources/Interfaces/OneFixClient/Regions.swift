import LineProtocol

extension OneFixClient {
  /// Registers a region (a circle on the ground) of the app at the gateway, or replaces the app's region with the same
  /// id. The gateway compares the position with the region even while the app is not running.
  ///
  /// An app with the status `always` and full accuracy receives an event through ``regionEvents`` when the device
  /// enters or leaves the region. For other apps, the gateway only shows the region's text to its owner
  /// (administrator).
  ///
  /// - Parameter region: A region with a radius of 100 m to 100 km.
  /// - Throws: ``ClientError/restricted(_:)`` if the gateway's owner allows no regions.
  ///   ``ClientError/notDetermined(_:)`` or ``ClientError/denied(_:)`` if the app has no authorization.
  ///   ``ClientError/tooMany(_:)`` if the app already has 20 regions. ``ClientError/tooSoon(_:retryAfter:)`` if the app
  ///   changed its regions too often.
  public func addRegion(_ region: Region) async throws(ClientError) { _ = try await send(.region(.add(region))) }

  /// Removes a region (a circle on the ground) of the app from the gateway.
  ///
  /// - Throws: ``ClientError/invalid(_:)`` if the region does not exist. ``ClientError/tooSoon(_:retryAfter:)`` if the
  ///   app changed its regions too often.
  public func removeRegion(id: String) async throws(ClientError) { _ = try await send(.region(.remove(id: id))) }

  private static let mostAttempts = 5

  /// Returns the app's regions (circles on the ground), including regions from an earlier run of the app.
  /// - Throws: ``ClientError/restricted(_:)`` if the gateway's owner (administrator) allows no regions.
  public func regions() async throws(ClientError) -> [Region] {
    // On a serial port, protocol lines of the list can be lost or sent twice. The client requests the list again after
    // a loss.
    for _ in 0..<Self.mostAttempts {
      let reply = try await send(.region(.list)) { $0.topic == Topic.regions.rawValue }
      var listed: [Region] = []
      for region in reply.messages.compactMap({ Region(json: $0.json) }) {
        listed.removeAll { $0.id == region.id }
        listed.append(region)
      }
      if (reply.fields["count"].flatMap { Int($0) } ?? 0) <= listed.count { return listed }
    }
    throw .connectionLost
  }
}
