import OperatingSystem

/// Lines that did not arrive as they were said: what they may have told is asked for.
extension OneFixClient {
  /// How long a fix is sent again that was not acknowledged, and a little more.
  private static let redelivery = Duration.seconds(25)

  /// A line was lost. What comes meanwhile may be lost, too: there is one look at a time, and one after it.
  func catchUp() {
    isBehind = true
    guard !isCatchingUp else { return }
    isCatchingUp = true
    Task { [weak self] in
      // Where one line was lost others may follow.
      while (try? await SystemClock.sleep(until: SystemClock.monotonic + .seconds(1))) != nil,
        await self?.lookAgain() == true
      {}
    }
  }

  /// - Returns: whether more was lost meanwhile.
  private func lookAgain() async -> Bool {
    isBehind = false
    if case .connected(let link) = standing {
      do {
        try await subscribeToStates(on: link)
        try await resumeQuestions(on: link, isSame: true)
        if once?.isAccepted == true { try await resumeOnce(on: link, isSame: true) }
        if updatesInProgress?.isAccepted == true { try await resumeUpdates(on: link, isSame: true) }
      } catch {
        // A connection that has ended is made again, and that looks at all of it; a gateway that is asked too often
        // says so.
      }
    }
    isCatchingUp = isBehind
    return isBehind
  }

  /// What is retained comes again, since nobody told what changed meanwhile.
  func subscribeToStates(on link: Link) async throws(LinkError) {
    if authorizations.isSubscribed { try await subscribe(authorizations, on: link) }
    if indications.isSubscribed { try await subscribe(indications, on: link) }
    if receivers.isSubscribed { try await subscribe(receivers, on: link) }
  }

  /// The gateway knows of a request no more: its fix may have been lost on the way, and then comes again.
  func awaitRedelivery(_ outcome: Promised<Result<FixReport, ClientError>>) {
    Task {
      try? await SystemClock.sleep(until: SystemClock.monotonic + Self.redelivery)
      outcome.keep(.failure(.connectionLost))
    }
  }
}
