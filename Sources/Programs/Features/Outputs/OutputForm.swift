import LineProtocol
import Ports

/// The payload format in which a fix waits for an output, and the limits of its queue. A fix can have several parts of
/// bytes, which the target joins.
struct OutputForm: PublicationForm {
  let name: String
  let address: String
  let expires = Duration.seconds(86_400)
  let mostWaiting = 64
  let hasPositionsOnly: Bool
  private let parts: @Sendable (PublishedFix) -> [[UInt8]]

  /// - Parameters:
  ///   - address: The address of the output, as in `file:///srv/points.gpx`. The scheme names the transport.
  ///   - app: The app whose fixes the output gets.
  ///   - format: The name of the format. A fix that waits in a former format is not delivered after a change.
  ///   - hasPositionsOnly: Whether the format cannot express a fix that is only the name of a place.
  ///   - parts: Returns the bytes of a fix in this format; an empty array if the format cannot express the fix.
  init(
    _ address: String, of app: AppID, as format: String, hasPositionsOnly: Bool = false,
    parts: @escaping @Sendable (PublishedFix) -> [[UInt8]]
  ) {
    self.address = address
    name = "\(address) \(app.name) \(format)"
    self.hasPositionsOnly = hasPositionsOnly
    self.parts = parts
  }

  func messages(_ fix: PublishedFix) -> [Publication.Message] {
    parts(fix).map { Publication.Message(topic: "", payload: $0) }
  }
}
