import ArgumentParser
import LineProtocol
import OneFixClient

/// An example host app: it finds the nearest parks, once somebody presses the button.
@main
struct ParkFinder: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "park-finder", abstract: "Find the parks near you, with one location fix from the button.")

  @Option(help: "The gateway's socket. (default: $ONEFIX_SOCKET or /run/onefix/onefix.sock)")
  var socket: String?

  @Option(help: "How many parks to list, 1 to 16.")
  var count = 5

  @Flag(help: "Ask again after each list, until interrupted.")
  var again = false

  func validate() throws {
    if !(1...Park.all.count).contains(count) { throw ValidationError("--count is 1 to \(Park.all.count)") }
  }

  func run() async throws {
    let endpoint: OneFixClient.Endpoint = socket.map { .unix($0) } ?? .standard
    let client = try await OneFixClient.connect(endpoint, app: "park-finder")
    repeat {
      do {
        try await find(client)
      } catch ClientError.refused(let error) where again && !error.code.closes {
        print("park-finder: \(error.text)")
        // Ask again when the person wants to be asked; nothing is gained by asking at once.
        try await Task.sleep(for: .seconds(10))
      } catch  where again && Self.isOver(error) {
        return print("park-finder: the gateway has stopped")
      }
    } while again
    await client.close()
  }

  private static func isOver(_ error: any Error) -> Bool {
    switch error {
    case ClientError.closed: true
    case ClientError.refused(let error): error.code.closes
    default: false
    }
  }

  private func find(_ client: OneFixClient) async throws {
    let fix = try await client.requestOnce(OnceRequest(purpose: "Find parks near you")) {
      print("park-finder: press the button to find the parks near you")
    }
    let about = fix.accuracy == .reduced ? "about " : ""
    print("park-finder: the nearest parks (you are known within \(Int(fix.horizontalAccuracy.rounded(.up))) m):")
    for (park, distance) in Park.nearest(to: fix.coordinate, count: count) {
      print("  \(about)\(Self.text(distance))  \(park.name)")
    }
  }

  private static func text(_ metres: Double) -> String {
    let text =
      metres < 1000
      ? "\(Int((metres / 10).rounded()) * 10) m"
      : metres < 100_000
        ? "\(Int(metres / 1000)).\(Int(metres / 100) % 10) km" : "\(Int((metres / 1000).rounded())) km"
    return String(repeating: " ", count: max(0, 8 - text.count)) + text
  }
}
