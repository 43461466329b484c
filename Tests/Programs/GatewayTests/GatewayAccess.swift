import Authorization
import Base
import Disclosure
@testable import Gateway
import Decoding
import LineProtocol
import Ports
import StateStore

extension Policy {
  /// A policy with some changes to the standard one.
  init(_ change: (inout Policy) -> Void) {
    self.init()
    change(&self)
  }
}

/// Shortcuts for tests.
extension Gateway {
  func handle(_ event: Event) { submit { router, now in router.handle(event, at: now) } }

  /// Opens the session of an app that its transport identifies.
  func open(_ app: AppID = parks, on connection: any ClientConnection) async {
    _ = await hello(Hello(app: app.name), tag: nil, as: Identity(app, by: .transport), on: connection)
  }

  var ownerStatus: ServerLine.Fields { submit { router, now in router.ownerStatus(at: now) } }

  /// Returns the indication that an app was notified of.
  func indication(of app: AppID) -> String { submit { router, _ in router.indication(for: app) } }

  /// Returns the authorization status of an app.
  func status(of app: AppID) -> AuthorizationStatus { router.authorization.status(of: app) }

  /// Uses all entries that an app may have in the log.
  func useEntries(of app: AppID) {
    submit { router, now in
      for _ in 0..<LogQuota.entriesAtOnce {
        router.disclosures.log.countEntry(of: app, isOnce: false, at: now.monotonic, &router.outputs)
      }
    }
  }

  /// Adds entries of an app to the log.
  func fillLog(of app: AppID, _ count: Int) {
    submit { router, now in
      let answer = AnswerEntry(
        app: app, prompt: .authorize, choice: .no, accuracy: nil, purpose: nil, language: nil, way: .button)
      for _ in 0..<count { router.disclosures.log.record(.answer(answer), of: app, at: now.monotonic, &router.outputs) }
    }
  }

  var isEveryClientAway: Bool { router.sessions.sorted.allSatisfy { $0.connection == nil } }

  /// Whether the receiver's latest epoch was processed.
  var isReceiverIdle: Bool { router.receiver.nextDeadline == nil }

  /// The number of sentences that the gateway has read.
  var sentenceCount: Int { router.receiver.totals.frames }

  var hasSatellites: Bool { !router.receiver.sky.satellites.isEmpty }

  /// The number of requests that wait for a press.
  var waitingCount: Int { router.authorization.arms.count }

  /// The number of granted fixes that are in flight.
  var grantCount: Int { router.authorization.grants.count }

  var firstPrompt: Prompt? { router.authorization.prompts.first }

  /// Whether a crossing waits for its report.
  var hasCrossing: Bool { router.regions.nextDeadline != nil }

  var nextRedelivery: MonotonicInstant? {
    let deadlines = router.disclosures.deadlines(after: router.disclosures.log.now.monotonic)
    return deadlines.indices.lazy.map { deadlines[$0] }.first { $0.1 == "delivery" }?.0
  }
}
