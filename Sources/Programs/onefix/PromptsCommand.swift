import ArgumentParser
import Base
import LineProtocol
import OneFixClient
import OwnerScreens

struct PromptsCommand: VerbCommand {
  static let configuration = described(as: "prompts")

  @OptionGroup var options: OwnerOptions

  @Flag(help: "Print new questions and their answers immediately.")
  var watch = false

  var words: [String] { ["prompts"] }

  static let usage = "prompts [--watch]"

  func run() async throws {
    guard watch else { return try await perform() }
    // If no gateway replies at the start, the command fails.
    var client = try await orExit { try await OwnerClient.connect(options.socket.apps.owners) }
    while true {
      try await follow(client)
      await client.close()
      printNotice(.gatewayLost)
      client = try await reconnect()
      printNotice(.gatewayFound)
    }
  }

  private func follow(_ client: OwnerClient) async throws {
    let silence = Task { try await reportSilence(of: client) }
    defer { silence.cancel() }
    do {
      for try await message in try await client.messages(on: OwnerNotification.topics) {
        if let news = OwnerNotification(message) {
          try options.write(news.report(language: options.spoken, columns: Screen.columns))
        }
      }
    } catch LinkError.closed, LinkError.noGateway {
      // The connection ended, for example because the gateway is restarting. The caller can connect again.
    } catch LinkError.refused(let error, _) where error.code == .shuttingDown {
      // The gateway is shutting down, so the connection ends soon.
    } catch {
      throw exitError(for: error)
    }
  }

  /// Asks for the state of the gateway again and again, and prints when the gateway does not answer within 5 s, and
  /// when the gateway then answers.
  private func reportSilence(of client: OwnerClient) async throws {
    while true {
      try await Task.sleep(for: .seconds(5))
      let notice = Task {
        try await Task.sleep(for: .seconds(5))
        printNotice(.gatewayLost)
      }
      defer { notice.cancel() }
      _ = try await client.perform(.status)
      notice.cancel()
      if case .success = await notice.result { printNotice(.gatewayFound) }
    }
  }

  private func reconnect() async throws -> OwnerClient {
    let backoff = Backoff(first: .seconds(1), longest: .seconds(30))
    var failures = 0
    while true {
      try await Task.sleep(for: backoff.maximumDelay(after: failures))
      if let client = try? await OwnerClient.connect(options.socket.apps.owners) { return client }
      failures += 1
    }
  }

  private func printNotice(_ phrase: ConsolePhrase) { printError("onefix: \(phrase.text(in: options.spoken))") }
}
