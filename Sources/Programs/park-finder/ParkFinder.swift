import ArgumentParser
import Glibc
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

  @Flag(help: "Ask again after each list, until interrupted, also when the gateway was started anew.")
  var again = false

  func validate() throws {
    if !(1...Park.all.count).contains(count) { throw ValidationError("--count is 1 to \(Park.all.count)") }
  }

  func run() async throws {
    let endpoint: OneFixClient.Endpoint = socket.map { .unix($0) } ?? .standard
    let client = try await OneFixClient.connect(
      endpoint, app: "park-finder", options: OneFixClient.Options(backoff: again ? Backoff() : nil))
    let news = Task { try await tellNews(of: client) }
    defer { news.cancel() }
    repeat {
      do throws(ClientError) {
        try await find(client)
      } catch {
        guard again, Self.isPassing(error) else { throw error }
        tell("\(error.refusal?.text ?? "\(error)")")
        // Ask again when the person wants to be asked; nothing is gained by asking at once.
        try await Task.sleep(for: .seconds(10))
      }
    } while again
    await client.close()
  }

  /// Whether another request may come to more.
  private static func isPassing(_ error: ClientError) -> Bool {
    switch error {
    case .noPress, .denied, .locked, .notInUse, .notDetermined, .tooSoon, .expired, .noFix, .withheld, .gatewayFailed,
      .alreadyAsking, .connectionLost, .restricted, .tooMany:
      true
    case .noGateway, .untrusted, .unauthenticated, .incompatible, .invalid, .unexpected, .cancelled, .closed: false
    }
  }

  private func tellNews(of client: OneFixClient) async throws(ClientError) {
    var wasLost = false
    for try await state in client.connection {
      switch state {
      case .lost:
        tell("the gateway is away; it is tried again")
        wasLost = true
      case .connected:
        if wasLost { tell("the gateway is back") }
        wasLost = false
      }
    }
  }

  private func find(_ client: OneFixClient) async throws(ClientError) {
    let fix = try await client.requestOnce(OnceRequest(purpose: "Find parks near you")) {
      tell("press the button to find the parks near you")
    } pressed: { news in
      switch news {
      case .authorized: tell("thank you; waiting for the fix")
      case .unauthorized("armed-too-late"): tell("that was too soon; please press again")
      case .unauthorized(let reason): tell("that press gave nothing (\(reason))")
      }
    }
    let about = fix.accuracy == .reduced ? "about " : ""
    tell("the nearest parks (you are known within \(Int(fix.horizontalAccuracy.rounded(.up))) m):")
    for (park, distance) in Park.nearest(to: fix.coordinate, count: count) {
      print("  \(about)\(Self.text(distance))  \(park.name)")
    }
    fflush(nil)
  }

  /// At once, also where somebody reads it behind a pipe.
  private func tell(_ line: String) {
    print("park-finder: \(line)")
    // All that is open is written.
    fflush(nil)
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
