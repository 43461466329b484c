public import ArgumentParser
import Base
import Glibc
public import LineProtocol
import OneFixClient
import OperatingSystem

struct Request: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Request one fix, wait for the press, and print the fix as a line of JSON.",
    discussion: """
      Exit status: 0 fix, 1 another error, 3 no press, 4 denied or restricted, 5 locked, 6 no fix, 7 no daemon, \
      64 usage, 74 cannot write the output.
      """)

  @OptionGroup var socket: SocketOptions

  @Option(help: "The id of the requesting app.")
  var app = "onefix"

  @Option(help: "Seconds to wait for the press, 1 to 3600. (default: the gateway's, 300)")
  var timeout: Int?

  @Option(
    help: """
      full, reduced or place. With reduced, the fix is approximate even if the app may have a precise one. With place, \
      it has the name of a place and no position.
      """)
  var accuracy: FixAccuracy?

  @Option(help: "The maximum age of the fix in milliseconds, 0 to 60000.")
  var maxAge: Int?

  @Option(help: "The purpose of the fix, which is shown to the user at the button.")
  var purpose: String?

  func validate() throws {
    if let timeout, !(1...3600).contains(timeout) { throw ValidationError("--timeout must be 1 to 3600 seconds") }
    if let purpose, purpose.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw ValidationError("--purpose must be one line without tabs and other control characters")
    }
    if let maxAge, !(0...60_000).contains(maxAge) { throw ValidationError("--max-age must be 0 to 60000 milliseconds") }
  }

  func run() async throws {
    try await orExit {
      let client = try await connect()
      let request = OnceRequest(
        accuracy: accuracy, maximumAge: maxAge, timeout: timeout, purpose: purpose)
      let asking = Task {
        try await client.requestOnce(request) {
          printError("waiting for a press of the button …")
        } pressed: { news in
          if case .unauthorized(let reason) = news {
            printError("the press was not granted: \(PressPhrase(reason: reason)?.text(in: .english) ?? reason)")
          }
        }
      }
      try cancelAtSignal(asking)
      let questions = Task { await follow(client) }
      defer { questions.cancel() }
      let fix = await asking.result
      let printed = Result { try printLine(fix.get().json) }
      await client.close()
      Interruption.endProcess()
      try printed.get()
    }
  }

  /// Cancels the request at the gateway when a signal arrives, so that no press of the button serves an app that has
  /// ended. If the gateway does not reply within a second, the signal ends the process.
  private func cancelAtSignal(_ asking: Task<FixReport, any Error>) throws {
    Interruption.watch()
    try startThread {
      Interruption.wait()
      asking.cancel()
      sleep(1)
      Interruption.endProcess()
    }
  }

  /// Connects to the gateway. The wait for the gateway's greeting ends at the time limit of the request, or after 10 s.
  private func connect() async throws -> OneFixClient {
    let (endpoint, app) = (socket.apps, app)
    let connection = Task {
      try await OneFixClient.connect(endpoint, app: app, options: OneFixClient.Options(backoff: nil))
    }
    guard let timeout else { return try await connection.value }
    let limit = Task {
      try await Task.sleep(for: .seconds(timeout))
      connection.cancel()
    }
    defer { limit.cancel() }
    do {
      return try await connection.value
    } catch ClientError.cancelled {
      throw ClientError.noGateway(
        endpoint: "\(endpoint)", cause: "the gateway did not answer within \(timeout) s", remedy: LinkError.isItRunning)
    }
  }

  /// While the request waits, prints the gateway's question to the user about this app, and prints the user's
  /// agreement.
  private func follow(_ client: OneFixClient) async {
    var isAsked = false
    do {
      for try await state in client.indicator {
        if state == .prompt { printError(Self.question) }
        if isAsked, state == .acquiring { printError("confirmed; waiting for the fix …") }
        isAsked = state == .prompt
      }
    } catch { /* The request itself reports the end of the connection. */  }
  }

  private static let question =
    "pressed once, and the light asks about this app: press again within ten seconds for yes, or hold for no"
}

extension PressPhrase {
  /// Creates the phrase that explains why a press of the button gave the app no fix; nil for an unknown reason.
  init?(reason: String) {
    switch reason {
    case "restricted": self = .restricted
    case "locked": self = .whileLocked
    case "nothing-armed": self = .nothingWaiting
    case "armed-too-late": self = .tooEarly
    default: return nil
    }
  }
}

extension FixAccuracy: ExpressibleByArgument {}
