import ArgumentParser
import LineProtocol
import OneFixClient
import OwnerVerbs

struct PromptsCommand: VerbCommand {
  static let configuration = described(
    as: .prompts, "With --watch it goes on until Ctrl-C; notifications of regions are told, too.")

  @OptionGroup var options: OwnerOptions

  @Flag(help: "Follow questions, and what becomes of them, as they come.")
  var watch = false

  var words: [String] { ["prompts"] }

  func run() async throws {
    guard watch else { return try await perform() }
    let client = try await options.socket.connectAsOwner()
    let language = options.spoken
    try await orExit {
      for try await message in try await client.messages(on: OwnerNews.topics) {
        if let news = OwnerNews(message) {
          options.write(news.report(language: language, columns: Screen.columns))
        }
      }
    }
  }
}
