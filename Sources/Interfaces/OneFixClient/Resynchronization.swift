import OperatingSystem

/// The reaction to a damaged line: the client asks for all states that the line may have contained.
extension OneFixClient {
  /// The time in which the gateway sends an unacknowledged fix again (at most 20 s after the first time), and a little
  /// more.
  private static let redelivery = Duration.seconds(25)

  /// Begins a resynchronization. If one is in progress, another one follows it.
  func resynchronize() {
    isBehind = true
    guard !isResynchronizing else { return }
    isResynchronizing = true
    Task { [weak self] in
      // Lines are often lost together. The client waits for a second, so that one resynchronization is sufficient.
      while (try? await SystemClock.sleep(until: SystemClock.monotonic + .seconds(1))) != nil,
        await self?.refresh() == true
      {}
    }
  }

  /// Asks for the present states.
  ///
  /// - Returns: Whether another line was lost in the meantime.
  private func refresh() async -> Bool {
    isBehind = false
    if case .connected(let link) = standing {
      do {
        try await subscribeToStates(on: link)
        try await resumeQuestions(on: link, isSame: true)
        if once?.isAccepted == true { try await resumeOnce(on: link, isSame: true) }
        if updatesInProgress?.isAccepted == true { try await resumeUpdates(on: link, isSame: true) }
      } catch {
        // The error needs no reaction. If the connection has ended, the next connection asks for all states. The
        // gateway may also refuse a client that asks too often.
      }
    }
    isResynchronizing = isBehind
    return isBehind
  }

  /// Subscribes again to all states. The gateway then sends the present states, so that the client learns of changes
  /// that it missed.
  func subscribeToStates(on link: Link) async throws(LinkError) {
    if authorizations.isSubscribed { try await subscribe(authorizations, on: link) }
    if indications.isSubscribed { try await subscribe(indications, on: link) }
    if receivers.isSubscribed { try await subscribe(receivers, on: link) }
  }

  /// Waits for the fix of a request that the gateway has already served. The fix was lost in transmission, and the
  /// gateway will send it again. If it does not come, the request fails.
  func awaitRedelivery(_ outcome: OneShot<Result<FixReport, ClientError>>) {
    Task {
      try? await SystemClock.sleep(until: SystemClock.monotonic + Self.redelivery)
      outcome.resolve(.failure(.connectionLost))
    }
  }
}
