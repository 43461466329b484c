import ArgumentParser
import Languages
import LineProtocol
import OneFixClient
import OwnerVerbs

struct PromptsCommand: VerbCommand {
  static let configuration = described(
    as: .prompts,
    "With --watch, it runs until Ctrl-C, also across restarts of the gateway, and also prints notifications of regions."
  )

  @OptionGroup var options: OwnerOptions

  @Flag(help: "Print new questions and their answers immediately.")
  var watch = false

  var words: [String] { ["prompts"] }

  func run() async throws {
    guard watch else { return try await perform() }
    // Without a gateway at the start, the command fails.
    var client = try await options.socket.connectAsOwner()
    while true {
      try await follow(client)
      await client.close()
      tell(.gatewayLost)
      client = try await found()
      tell(.gatewayFound)
    }
  }

  /// Prints notifications until the connection ends.
  private func follow(_ client: OwnerClient) async throws {
    do {
      for try await message in try await client.messages(on: OwnerNews.topics) {
        if let news = OwnerNews(message) {
          options.write(news.report(language: options.spoken, columns: Screen.columns))
        }
      }
    } catch LinkError.closed, LinkError.noGateway {
      // The gateway can be restarting.
    } catch LinkError.refused(let error, _) where error.code == .shuttingDown {
      // The connection is about to end.
    } catch let error as LinkError {
      say("onefix: \(error)")
      throw ExitCode(ExitStatus.status(of: error))
    }
  }

  private func found() async throws -> OwnerClient {
    var seconds = 1
    while true {
      try await Task.sleep(for: .seconds(seconds))
      if let client = try? await OwnerClient.connect(options.socket.apps.owners) { return client }
      seconds = min(30, 2 * seconds)
    }
  }

  private func tell(_ phrase: ConsolePhrase) { say("onefix: \(phrase.text(in: options.spoken))") }
}
