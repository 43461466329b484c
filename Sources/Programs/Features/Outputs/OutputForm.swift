import LineProtocol
import Ports

/// The conversion of fixes into bytes for an output (a file, a serial port or a web server), and the limits of the
/// queue of waiting fixes.
struct OutputForm: PublicationForm {
  let name: String
  let address: String
  let expires = Duration.seconds(86_400)
  let mostWaiting = 64
  let hasPositionsOnly: Bool
  private let parts: @Sendable (PublishedFix) -> [[UInt8]]

  /// Creates the conversion of one app's fixes for an output.
  /// - Parameters:
  ///   - address: The address of the output, as in `file:///srv/points.gpx`.
  ///   - app: The app whose fixes the output receives.
  ///   - format: The name of the format. After a change of the format, fixes that wait in the old format are not
  ///     delivered.
  ///   - hasPositionsOnly: Whether the format needs a position, so that a fix with only the name of a place cannot be
  ///     sent.
  ///   - parts: Returns the bytes of a fix in one or more parts; an empty array if the format cannot express the fix.
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
