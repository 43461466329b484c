import ConsoleService
import FoundationEssentials
import Languages
import LineProtocol
import OneFixClient
import OwnerVerbs

/// What a page that is open is told: first all that there is, then what has changed, one JSON object in each line.
struct Feed: Sendable {
  static let fewEntries = 20
  /// An empty line now and then tells that there is still somebody.
  private static let beat = Duration.seconds(15)
  /// So long after a change nothing is looked at: what happens then is told together.
  private static let pause = Duration.milliseconds(250)

  private let client: OwnerClient
  private let views: OwnerViews<OwnerConnection>
  private let language: Language
  /// Of entries of the log.
  private let count: Int
  private let changes: @Sendable () async -> AsyncStream<Void>

  init(
    _ client: OwnerClient, language: Language, count: Int, changes: @escaping @Sendable () async -> AsyncStream<Void>
  ) {
    self.client = client
    self.language = language
    self.count = min(max(1, count), OwnerCommand.mostEntries)
    self.changes = changes
    views = OwnerViews(of: OwnerConnection(client: client), in: language)
  }

  /// Runs until the browser or the gateway is gone, or whoever looks may not any more.
  func run(while mayGoOn: @escaping @Sendable () -> Bool, _ reply: Reply) async throws {
    var told = Update()
    var log = LogView()
    let watch = OwnerWatch(client, topics: OwnerNews.topics, beat: Self.beat, pause: Self.pause, changes: changes)
    try await watch.run { occasion in
      guard mayGoOn() else { return false }
      var lines = ""
      for message in occasion.messages {
        if let news = OwnerNews(message) { lines += try line(Update(news: Update.News(news, in: language))) }
      }
      if occasion.isChanged {
        var new = Update(
          status: try await views.status(), apps: try await views.apps(), prompts: try await views.prompts())
        if try await views.read(into: &log, count: count) || told.log == nil { new.log = views.rows(of: log) }
        lines += try line(new.difference(from: told))
        new.log = new.log ?? told.log
        told = new
        // A session may have ended meanwhile.
        guard mayGoOn() else { return false }
      }
      if occasion.isBeat { lines += "\n" }
      if !lines.isEmpty { try await reply.write(lines) }
      return true
    }
  }

  private func line(_ update: Update) throws -> String {
    if update.isEmpty { return "" }
    return String(decoding: try JSONEncoder().encode(update), as: UTF8.self) + "\n"
  }
}

/// What is told in a line; what did not change is left out.
private struct Update: Encodable {
  struct News: Encodable {
    var prompt: Int?
    var isByOwner: Bool
    var lines: [String]

    /// Nil where it is shown as a question.
    init?(_ news: OwnerNews, in language: Language) {
      if news.isOpenPrompt { return nil }
      prompt = news.prompt
      isByOwner = news.isByOwner
      lines = news.report(language: language, columns: 4096).lines
    }
  }

  var status: StatusView?
  var apps: [AppView]?
  var prompts: [PromptView]?
  var log: [LogView.Row]?
  var news: News?

  var isEmpty: Bool { status == nil && apps == nil && prompts == nil && log == nil && news == nil }

  func difference(from old: Update) -> Update {
    Update(
      status: status == old.status ? nil : status, apps: apps == old.apps ? nil : apps,
      prompts: prompts == old.prompts ? nil : prompts, log: log)
  }
}
