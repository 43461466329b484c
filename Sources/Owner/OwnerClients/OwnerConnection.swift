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

  /// Creates a connection that sends the commands of an owner (administrator).
  /// - Parameters:
  ///   - client: A client of the Unix socket for owners. The client sends one command at a time.
  ///   - surface: The user interface in which the owner answers prompts (questions to the user); nil for another
  ///     program. The log of answers records the user interface.
  ///   - answerTime: The maximum time for the reply to a command; nil without a limit. After this time the connection
  ///     is closed.
  package init(client: OwnerClient, surface: PromptDisplay.Surface? = nil, answerTime: Duration? = nil) {
    self.client = client
    self.surface = surface
    self.answerTime = answerTime
  }

  package func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    var command = command
    if case .owner(.answer(let prompt, let choice, let accuracy, var display)) = command {
      display.surface = surface
      command = .owner(.answer(prompt: prompt, choice, accuracy: accuracy, on: display))
    }
    let limit = answerTime.map { [client] time in
      Task {
        try await Task.sleep(for: time)
        client.cut()
      }
    }
    defer { limit?.cancel() }
    let begun = SystemClock.monotonic
    do {
      return try await client.perform(command)
    } catch {
      if case .refused(let refusal, _) = error { throw refusal }
      if let answerTime, SystemClock.monotonic >= begun + answerTime { throw SilentGateway(time: answerTime) }
      throw error
    }
  }

  package func localTime(of time: UTCTime) -> String { LocalTime.minute(of: time, now: SystemClock.reading.utc) }

  package var logTime: (@Sendable (UTCTime) -> String)? { LocalTime.reader }

  package func pause() async throws { try await SystemClock.sleep(until: SystemClock.monotonic + .seconds(1)) }
}

/// The error if the gateway did not answer a command in time.
private struct SilentGateway: Error, CustomStringConvertible {
  let time: Duration
  var description: String { "the gateway did not answer for \(time)" }
}
