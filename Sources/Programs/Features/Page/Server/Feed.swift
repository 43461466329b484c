import Base
import LineProtocol
import OneFixClient
import OwnerClients
import OwnerScreens

/// The stream of events from the gateway to a web page in a browser. The first text line has the whole state of the
/// gateway as a JSON object. Each later text line has one change.
struct Feed: Sendable {
  static let fewEntries = 20
  /// The time between two empty text lines in the stream. If such a write fails, the browser has closed the connection.
  private static let heartbeat = Duration.seconds(15)
  /// The minimum time between two updates in the stream. Changes within this time are sent together.
  private static let pause = Duration.milliseconds(250)

  private let client: OwnerClient
  private let views: OwnerViews<OwnerConnection>
  private let language: Language
  private let count: Int
  private let end: Int?
  private let sleep: @Sendable (Duration) async throws -> Void
  private let changes: @Sendable () async -> AsyncStream<Void>

  /// Creates a stream for one page.
  /// - Parameters:
  ///   - page: The count of log entries to show, as in `20`. A second number, as in `20 512`, is the identifier of a
  ///     log entry. The stream then contains the entries before this entry, instead of the newest entries.
  ///   - sleep: Waits for a time.
  ///   - changes: Returns a stream with one element for each change of the gateway.
  init(
    _ client: OwnerClient, language: Language, page: String, sleep: @escaping @Sendable (Duration) async throws -> Void,
    changes: @escaping @Sendable () async -> AsyncStream<Void>
  ) {
    self.client = client
    self.language = language
    let numbers = page.split(separator: " ").map { Int($0) }
    count = min(max(1, numbers.first.flatMap(\.self) ?? Self.fewEntries), OwnerCommand.mostEntries)
    end = numbers.count == 2 ? numbers[1].map { max(1, $0) } : nil
    self.sleep = sleep
    self.changes = changes
    views = OwnerViews(of: OwnerConnection(client: client), in: language)
  }

  /// Sends updates until a connection closes (to the browser or to the gateway), or until the owner's session ends.
  /// - Parameters:
  ///   - isValid: Returns whether the owner's session is still valid.
  ///   - reply: The HTTP response for the updates.
  func run(while isValid: @escaping @Sendable () -> Bool, _ reply: Reply) async throws {
    var sent = Update()
    var log = LogView()
    let watch = GatewayWatcher(
      client, topics: OwnerNotification.topics, heartbeat: Self.heartbeat, pause: Self.pause, sleep: sleep,
      changes: changes)
    try await watch.run { changed in
      guard isValid() else { return false }
      var lines = ""
      for message in changed.messages {
        if let news = OwnerNotification(message) { lines += line(Update(news: Update.News(news, in: language))) }
      }
      if changed.isChanged {
        var new = Update(
          status: try await views.status(), apps: try await views.apps(),
          prompts: try await views.prompts(), signals: try await views.signals())
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

/// The values that have changed since the last update of the page. An unchanged value is nil.
private struct Update: Hashable {
  struct News: Hashable {
    var prompt: Int?
    var isByOwner: Bool
    var lines: [String]

    /// Creates the texts of a notification. The result is nil for a new prompt (a question to the user), because the
    /// update's property `prompts` contains the prompt.
    init?(_ news: OwnerNotification, in language: Language) {
      if news.isOpenPrompt { return nil }
      prompt = news.prompt
      isByOwner = news.isByOwner
      lines = news.report(language: language, columns: .max).lines
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
