import ConsoleService
import Languages
import LineProtocol
import OneFixClient
import OwnerVerbs
import SystemClock
import TopScreen

/// The gateway that is looked at: what it is like every second, and at once when it asks something.
struct TopSource: Sendable {
  let owners: OneFixClient.Endpoint
  let language: Language

  private static let interval = Duration.seconds(1)
  /// Between two readings at least, whatever happens.
  private static let leastInterval = Duration.milliseconds(500)

  /// Goes on, also when the gateway was away, until the surrounding task is cancelled.
  func watch(_ tell: @Sendable (TopSession.Event) -> Void) async {
    while !Task.isCancelled {
      if let client = try? await OwnerClient.connect(owners) {
        do { try await read(client, tell) } catch { /* That is how a connection ends. */  }
        await client.close()
      }
      if Task.isCancelled { return }
      tell(.lost)
      // Cancelled, it is over at once.
      try? await Task.sleep(for: Self.interval)
    }
  }

  private func read(_ client: OwnerClient, _ tell: @Sendable (TopSession.Event) -> Void) async throws {
    let (causes, cause) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let news = try await client.messages(on: [.ownerPrompt, .indicator])
    let listener = Task {
      do { for try await _ in news { cause.yield() } } catch { /* The next reading fails, too. */  }
      cause.yield()
    }
    let ticker = Task {
      while true {
        try await Task.sleep(for: Self.interval)
        cause.yield()
      }
    }
    defer {
      listener.cancel()
      ticker.cancel()
    }
    var reader = OverviewReader(language: language)
    let gateway = OwnerConnection(client: client)
    cause.yield()
    for await _ in causes {
      tell(.told(try await reader.read(from: gateway)))
      try await Task.sleep(for: Self.leastInterval)
    }
  }

  /// Does what an owner's key says, on a connection of its own: a button may be held for seconds.
  /// - Returns: what there is to say of it.
  func perform(_ deed: Deed) async -> String {
    do {
      let client = try await OwnerClient.connect(owners)
      let said = try await perform(deed, OwnerConnection(client: client))
      await client.close()
      return said
    } catch let failure as OwnerFailure {
      return failure.text(in: language)
    } catch let error as LineError {
      return error.text
    } catch {
      return ConsolePhrase.noAnswer.text(in: language)
    }
  }

  private func perform(_ deed: Deed, _ gateway: OwnerConnection) async throws -> String {
    let command: OwnerCommand
    switch deed {
    case .verb(let verb):
      let report = try await verb.perform(on: gateway, language: language, columns: 4096)
      return report.lines.joined(separator: " ")
    case .press: command = .press(milliseconds: 100, button: nil)
    case .hold: command = .hold(button: nil)
    }
    let effect = try await gateway.perform(.owner(command)).fields["effect"] ?? ""
    return TopPhrase.button.text(in: language, [.value: effect])
  }
}
