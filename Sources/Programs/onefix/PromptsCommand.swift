import ArgumentParser
import Languages
import LineProtocol
import OneFixClient
import OwnerVerbs

struct PromptsCommand: VerbCommand {
  static let configuration = described(
    as: .prompts,
    "With --watch it goes on until Ctrl-C, also when the gateway is started anew; notifications of regions are told, too."
  )

  @OptionGroup var options: OwnerOptions

  @Flag(help: "Follow questions, and what becomes of them, as they come.")
  var watch = false

  var words: [String] { ["prompts"] }

  func run() async throws {
    guard watch else { return try await perform() }
    // Where there is no gateway at the start, there is nothing to watch.
    var client = try await options.socket.connectAsOwner()
    while true {
      try await follow(client)
      await client.close()
      tell(.gatewayLost)
      client = try await found()
      tell(.gatewayFound)
    }
  }

  /// Returns when the connection has ended.
  private func follow(_ client: OwnerClient) async throws {
    do {
      for try await message in try await client.messages(on: OwnerNews.topics) {
        if let news = OwnerNews(message) {
          options.write(news.report(language: options.spoken, columns: Screen.columns))
        }
      }
    } catch LinkError.closed, LinkError.noGateway {
      // It may have been started anew.
    } catch LinkError.refused(let error, _) where error.code == .shuttingDown {
      // So it will be.
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
