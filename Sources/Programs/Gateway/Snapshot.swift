package import Authorization
package import Clocks
package import Hardware
import LineProtocol
package import StateStore
import OperatingSystem

/// The gateway at one moment, as its owner may see it. No position.
package struct Snapshot: Sendable {
  /// An app that waits for a press.
  package struct Waiting: Hashable, Sendable {
    package var app: AppID
    package var since: UTCTime
    /// What it says that the fix is for.
    package var purpose: String?
  }

  package var gateway: String
  package var board: String
  package var receiverName: String
  package var receiver: ReceiverCondition
  package var indication: Indication
  package var isLit: Bool
  package var colour: Colour
  package var isLocked: Bool
  package var isButtonDown: Bool
  /// What the person is asked, and below it what a press and a hold do; nil while nothing is asked.
  package var question: (text: String, ways: [String])?
  package var waiting: [Waiting]
  /// The latest entries of the log, oldest first.
  package var log: [LogEntry]
}

extension Gateway {
  /// Yields whenever something may look different; what was not read in time is not repeated.
  package func changes() -> AsyncStream<Void> {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = nextNumber()
    watchers[number] = continuation
    continuation.onTermination = { _ in Task { await self.forgetWatcher(number) } }
    continuation.yield()
    return changes
  }

  private func forgetWatcher(_ number: UInt64) { watchers[number] = nil }

  /// - Parameter entries: how many entries of the log.
  package func snapshot(entries: Int) -> Snapshot {
    let reading = SystemClock.reading
    return Snapshot(
      gateway: setup.gateway, board: setup.board, receiverName: setup.receiver.name, receiver: reception.condition,
      indication: indicator.visible(at: reading.monotonic), isLit: indicator.isLit, colour: indicator.profile.colour,
      isLocked: authorization.isLocked, isButtonDown: buttons.values.contains { $0.debouncer?.isDown ?? false },
      question: (authorization.prompt ?? authorization.prompts.first).map {
        (question($0.kind, of: $0.app), ways(of: $0))
      },
      waiting: authorization.sortedArms.map {
        Snapshot.Waiting(
          app: $0.app, since: reading.utc(at: $0.accepted), purpose: sessions[$0.session]?.request?.options.purpose)
      },
      log: (try? store.entries(newestFirst: true, limit: entries).reversed()) ?? [])
  }
}
