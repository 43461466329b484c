import Authorization
import Ports

/// The format in which a fix waits for an output: the parts of the fix, which the target of the output joins.
struct OutputForm: PublicationForm {
  let name: String
  let address: String
  let expires = Duration.seconds(86_400)
  let mostWaiting = 64
  let hasPositionsOnly: Bool
  private let parts: @Sendable (PublishedFix) -> [[UInt8]]

  /// - Parameters:
  ///   - address: the address of the output, as in `file:///srv/points.gpx`. The scheme is the transport.
  ///   - format: the name of the format. A fix that waits since before a change of the format is not written.
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
