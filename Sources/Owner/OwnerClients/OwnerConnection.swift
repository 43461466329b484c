package import Base
package import LineProtocol
package import OneFixClient
import OperatingSystem
import OwnerScreens

/// A connection of an owner (administrator) to the gateway, through a Unix socket.
package struct OwnerConnection: OwnerGateway {
  private let client: OwnerClient
  private let surface: PromptDisplay.Surface?
  private let answerTime: Duration?
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Creates a connection that sends the commands of an owner (administrator).
  /// - Parameters:
  ///   - client: A client of the Unix socket for owners. The client sends one command at a time.
  ///   - surface: The user interface in which the owner answers prompts (questions to the user); nil for another
  ///     program. The log of answers records the user interface.
  ///   - answerTime: The maximum time for the reply to a command; nil without a limit. After this time the connection
  ///     is closed.
  ///   - sleep: Waits for the maximum time, or for a pause.
  package init(
    client: OwnerClient, surface: PromptDisplay.Surface? = nil, answerTime: Duration? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.client = client
    self.surface = surface
    self.answerTime = answerTime
    self.sleep = sleep
  }

  package func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    var command = command
    if case .owner(.answer(let prompt, let choice, let accuracy, var display)) = command {
      display.surface = surface
      command = .owner(.answer(prompt: prompt, choice, accuracy: accuracy, on: display))
    }
    let limit = answerTime.map { [client, sleep] time in
      Task {
        try await sleep(time)
        client.cut()
        return time
      }
    }
    defer { limit?.cancel() }
    do {
      return try await client.perform(command)
    } catch {
      if case .refused(let refusal, _) = error { throw refusal }
      limit?.cancel()
      if let time = try? await limit?.value { throw SilentGateway(time: time) }
      throw error
    }
  }

  package func localTime(of time: UTCTime) -> String { LocalTime.minute(of: time, now: SystemClock.reading.utc) }

  package var logTime: (@Sendable (UTCTime) -> String)? { LocalTime.reader }

  package func pause() async throws { try await sleep(.seconds(1)) }
}

/// The error if the gateway did not answer a command in time.
private struct SilentGateway: Error, CustomStringConvertible {
  let time: Duration
  var description: String { "the gateway did not answer for \(time)" }
}
