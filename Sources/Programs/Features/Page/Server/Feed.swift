import Base
import ConsoleService
import LineProtocol
import OneFixClient
import OwnerScreens

/// The event stream to an open page in a browser. The stream begins with the complete state of the gateway. Each later
/// line contains one change as a JSON object.
struct Feed: Sendable {
  static let fewEntries = 20
  /// The interval between empty lines in the stream. An empty line lets the server detect that the browser has closed
  /// the connection.
  private static let heartbeat = Duration.seconds(15)
  /// The minimum time between two updates in the stream. All changes during this time are combined into one update.
  private static let pause = Duration.milliseconds(250)

  private let client: OwnerClient
  private let views: OwnerViews<OwnerConnection>
  private let language: Language
  private let count: Int
  private let end: Int?
  private let changes: @Sendable () async -> AsyncStream<Void>

  /// - Parameter page: the number of log entries, and after a space the number of the entry after them: without this
  ///   number, the latest entries.
  init(
    _ client: OwnerClient, language: Language, page: String,
    changes: @escaping @Sendable () async -> AsyncStream<Void>
  ) {
    self.client = client
    self.language = language
    let numbers = page.split(separator: " ").map { Int($0) }
    count = min(max(1, numbers.first.flatMap(\.self) ?? Self.fewEntries), OwnerCommand.mostEntries)
    end = numbers.count == 2 ? numbers[1].map { max(1, $0) } : nil
    self.changes = changes
    views = OwnerViews(of: OwnerConnection(client: client), in: language)
  }

  /// Sends updates until the connection to the browser or to the gateway closes, or until `isValid` returns false
  /// because the session has ended.
  func run(while isValid: @escaping @Sendable () -> Bool, _ reply: Reply) async throws {
    var sent = Update()
    var log = LogView()
    let watch = GatewayWatcher(
      client, topics: OwnerNotification.topics, heartbeat: Self.heartbeat, pause: Self.pause, changes: changes)
    try await watch.run { changed in
      guard isValid() else { return false }
      var lines = ""
      for message in changed.messages {
        if let news = OwnerNotification(message) { lines += line(Update(news: Update.News(news, in: language))) }
      }
      if changed.isChanged {
        var new = Update(
          status: try await views.status(), apps: try await views.apps(), prompts: try await views.prompts(),
          signals: try await views.signals())
        if try await views.read(into: &log, count: count, before: end) || sent.log == nil {
          new.log = views.rows(of: log)
        }
        lines += line(new.difference(from: sent))
        new.log = new.log ?? sent.log
        sent = new
        // The session may have ended while the gateway answered the page's requests.
        guard isValid() else { return false }
      }
      if changed.isHeartbeat { lines += "\n" }
      if !lines.isEmpty { try await reply.write(lines) }
      return true
    }
  }

  private func line(_ update: Update) -> String {
    if update.isEmpty { return "" }
    return update.json.text + "\n"
  }
}

/// An update of the page. A property is nil if its value has not changed.
private struct Update: Hashable {
  struct News: Hashable {
    var prompt: Int?
    var isByOwner: Bool
    var lines: [String]

    /// Creates the description of a notification for the page; nil for an open prompt, because the property `prompts`
    /// of the update already contains the prompt.
    init?(_ news: OwnerNotification, in language: Language) {
      if news.isOpenPrompt { return nil }
      prompt = news.prompt
      isByOwner = news.isByOwner
      lines = news.report(language: language, columns: 4096).lines
    }

    var json: JSONObject { ["prompt": prompt, "isByOwner": isByOwner, "lines": lines] }
  }

  var status: StatusView?
  var apps: [AppView]?
  var prompts: [PromptView]?
  var signals: [SignalView]?
  var log: [LogView.Row]?
  var news: News?

  var json: JSONObject {
    [
      "status": status?.json, "apps": apps?.map(\.json), "prompts": prompts?.map(\.json),
      "signals": signals?.map(\.json), "log": log?.map(\.json), "news": news?.json,
    ]
  }

  var isEmpty: Bool { self == Update() }

  func difference(from old: Update) -> Update {
    Update(
      status: status == old.status ? nil : status, apps: apps == old.apps ? nil : apps,
      prompts: prompts == old.prompts ? nil : prompts, signals: signals == old.signals ? nil : signals, log: log)
  }
}
