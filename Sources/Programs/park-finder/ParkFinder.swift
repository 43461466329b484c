import ArgumentParser
import Glibc
import OneFixClient

/// An example app, which asks for one fix and lists the nearest parks. A press of the button gives the fix.
@main
struct ParkFinder: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "park-finder", abstract: "Find the parks near you, with one location fix from the button.")

  @Option(help: "The gateway's socket. (default: $ONEFIX_SOCKET or /run/onefix/onefix.sock)")
  var socket: String?

  @Option(help: "The number of parks, 1 to 16.")
  var count = 5

  @Flag(help: "Request again after each list until interrupted, also after a restart of the gateway.")
  var again = false

  func validate() throws {
    if !(1...Park.all.count).contains(count) { throw ValidationError("--count must be 1 to \(Park.all.count)") }
  }

  func run() async throws {
    let endpoint: OneFixClient.Endpoint = socket.map { .unix($0) } ?? .standard
    let client = try await OneFixClient.connect(
      endpoint, app: "park-finder", options: OneFixClient.Options(backoff: again ? Backoff() : nil))
    let connectionChanges = Task { try await printConnectionChanges(of: client) }
    let questions = Task { try await printQuestions(of: client) }
    defer {
      connectionChanges.cancel()
      questions.cancel()
    }
    repeat {
      do throws(ClientError) {
        try await find(client)
      } catch {
        guard again, Self.isPassing(error) else { throw error }
        printLine("\(error.refusal?.text ?? "\(error)")")
        // The app waits, because an immediate request would fail with the same error.
        try await Task.sleep(for: .seconds(10))
      }
    } while again
    await client.close()
  }

  /// Returns whether a new request can succeed after this error.
  private static func isPassing(_ error: ClientError) -> Bool {
    switch error {
    case .noPress, .denied, .locked, .notInUse, .notDetermined, .tooSoon, .expired, .noFix, .withheld, .gatewayFailed,
      .alreadyAsking, .connectionLost, .restricted, .tooMany:
      true
    case .noGateway, .untrusted, .unauthenticated, .incompatible, .invalid, .unexpected, .cancelled, .closed: false
    }
  }

  private func printConnectionChanges(of client: OneFixClient) async throws(ClientError) {
    var wasLost = false
    for try await state in client.connection {
      switch state {
      case .lost:
        printLine("the gateway is disconnected; trying again")
        wasLost = true
      case .connected:
        if wasLost { printLine("the gateway is connected again") }
        wasLost = false
      }
    }
  }

  private func printQuestions(of client: OneFixClient) async throws(ClientError) {
    for try await state in client.indicator where state == .prompt {
      printLine("press again within ten seconds for yes, or hold for no")
    }
  }

  private func find(_ client: OneFixClient) async throws(ClientError) {
    let fix = try await client.requestOnce(OnceRequest(purpose: "Find parks near you")) {
      printLine("press the button to find the parks near you")
    } pressed: { press in
      switch press {
      case .authorized: printLine("thank you; waiting for the fix")
      case .unauthorized("armed-too-late"): printLine("the press was too early; please press again")
      case .unauthorized(let reason): printLine("the press was not granted (\(reason))")
      }
    }
    guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy else {
      return printLine("the gateway gives only the name of the place: \(fix.place ?? "unknown")")
    }
    let about = fix.accuracy == .reduced ? "about " : ""
    printLine("the nearest parks (location accuracy \(Int(radius.rounded(.up))) m):")
    for (park, distance) in Park.nearest(to: coordinate, count: count) {
      print("  \(about)\(Self.text(distance))  \(park.name)")
    }
    fflush(nil)
  }

  /// Prints a line of text immediately. Another program may read the output through a pipe and wait for this line.
  private func printLine(_ line: String) {
    print("park-finder: \(line)")
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
