import FoundationEssentials
import LineProtocol

/// What the gateway says of an app on `owner/apps`, as far as it takes to complete its name.
struct AppName: Decodable {
  var app: String

  init?(_ message: ServerLine.Message) {
    guard let read = try? JSONDecoder().decode(AppName.self, from: Data(message.json.utf8)) else { return nil }
    self = read
  }
}
