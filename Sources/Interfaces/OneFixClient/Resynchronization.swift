import OperatingSystem

/// After a damaged line the client asks for everything that the line may have contained.
extension OneFixClient {
  /// The time in which the gateway repeats a fix that was not acknowledged, and a little more.
  private static let redelivery = Duration.seconds(25)

  /// Begins to resynchronize, or repeats it at the end if it is in progress.
  func resynchronize() {
    isBehind = true
    guard !isResynchronizing else { return }
    isResynchronizing = true
    Task { [weak self] in
      // More lines may be lost within a second.
      while (try? await SystemClock.sleep(until: SystemClock.monotonic + .seconds(1))) != nil,
        await self?.refresh() == true
      {}
    }
  }

  /// Asks for the present states.
  /// - Returns: whether another line was lost meanwhile.
  private func refresh() async -> Bool {
    isBehind = false
    if case .connected(let link) = standing {
      do {
        try await subscribeToStates(on: link)
        try await resumeQuestions(on: link, isSame: true)
        if once?.isAccepted == true { try await resumeOnce(on: link, isSame: true) }
        if updatesInProgress?.isAccepted == true { try await resumeUpdates(on: link, isSame: true) }
      } catch {
        // If the connection has ended, the next one asks for all states. A gateway that is asked too often refuses.
      }
    }
    isResynchronizing = isBehind
    return isBehind
  }

  /// Subscribes again to all states, since changes may have been missed: retained states are sent again.
  func subscribeToStates(on link: Link) async throws(LinkError) {
    if authorizations.isSubscribed { try await subscribe(authorizations, on: link) }
    if indications.isSubscribed { try await subscribe(indications, on: link) }
    if receivers.isSubscribed { try await subscribe(receivers, on: link) }
  }

  /// Waits for the gateway to repeat a fix. The gateway no longer has the request, so its fix may have been lost in
  /// transmission.
  func awaitRedelivery(_ outcome: OneShot<Result<FixReport, ClientError>>) {
    Task {
      try? await SystemClock.sleep(until: SystemClock.monotonic + Self.redelivery)
      outcome.resolve(.failure(.connectionLost))
    }
  }
}
