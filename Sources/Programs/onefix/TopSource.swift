import Base
import LineProtocol
import OneFixClient
import OwnerClients
import OwnerScreens

/// The source of the data of the command `onefix top`. The source reads the gateway's state each second, and after each
/// change of a prompt (question to the user), an app or the indicator LED.
struct TopSource: Sendable {
  let owners: OneFixClient.Endpoint
  let language: Language

  private static let interval = Duration.seconds(1)
  private static let leastInterval = Duration.milliseconds(500)
  private static let longestReading = Duration.seconds(5)

  /// Passes the gateway's state to a closure until the task is cancelled. After a lost connection, the function
  /// connects again. If the gateway does not answer for 5 s, the closure gets `lost`, and the function waits on.
  func watch(_ send: @escaping @Sendable (TopSession.Event) -> Void) async {
    while !Task.isCancelled {
      if let client = try? await OwnerClient.connect(owners) {
        do { try await read(client, send) } catch { /* An error is the usual end of a connection. */  }
        await client.close()
      }
      if Task.isCancelled { return }
      send(.lost)
      try? await Task.sleep(for: Self.interval)
    }
  }

  private func read(_ client: OwnerClient, _ send: @escaping @Sendable (TopSession.Event) -> Void) async throws {
    var reader = OverviewReader(language: language)
    let gateway = OwnerConnection(client: client)
    let watch = GatewayWatcher(
      client, topics: OverviewReader.topics, heartbeat: Self.interval, pause: Self.leastInterval)
    try await watch.run { _ in
      let limit = Task {
        try await Task.sleep(for: Self.longestReading)
        send(.lost)
      }
      defer { limit.cancel() }
      send(.updated(try await reader.read(from: gateway)))
      return true
    }
  }

  /// Executes a command of the owner, or a press or hold of a simulated button. Each action has its own connection,
  /// because a hold takes seconds.
  /// - Parameters:
  ///   - action: The command, the press or the hold.
  ///   - columns: The maximum width of a text line in the result.
  func perform(_ action: OwnerAction, columns: Int) async -> ActionOutcome {
    do {
      return try await OwnerClient.with(owners) { client in
        try await perform(action, OwnerConnection(client: client), columns)
      }
    } catch let failure as OwnerFailure {
      return .message(failure.text(in: language))
    } catch let error as LineError {
      return .message(error.text)
    } catch {
      return .message(ConsolePhrase.noAnswer.text(in: language))
    }
  }

  private func perform(_ action: OwnerAction, _ gateway: OwnerConnection, _ columns: Int) async throws -> ActionOutcome
  {
    let command: OwnerCommand
    switch action {
    case .verb(let verb):
      let width = verb.row.answer.isList ? columns : 4096
      let lines = try await verb.perform(on: gateway, language: language, columns: width).lines
      return verb.row.answer.isList ? .pager(lines) : .message(lines.joined(separator: " "))
    case .press: command = .press(milliseconds: 100, button: nil)
    case .hold: command = .hold(button: nil)
    }
    let fields = try await gateway.perform(.owner(command)).fields
    let effect = TextFormatter(unwrapped: language).lastPress(fields) ?? fields["effect"] ?? ""
    return .message(TopPhrase.button.text(in: language, [.value: effect]))
  }
}
