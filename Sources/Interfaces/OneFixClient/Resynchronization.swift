import OperatingSystem

/// The reaction to a protocol line that was damaged in transmission: the client asks the gateway for all states that
/// the protocol line may have contained.
extension OneFixClient {
  /// The time to wait until the gateway repeats an unacknowledged fix. The gateway repeats the fix at most 20 s after
  /// the first transmission.
  private static let redelivery = Duration.seconds(25)

  /// Begins a resynchronization. If a resynchronization is already in progress, the client begins another one
  /// afterwards.
  func resynchronize() {
    isBehind = true
    guard !isResynchronizing else { return }
    isResynchronizing = true
    Task { [weak self] in
      // A disturbance often damages several protocol lines. The client waits for a second, so that one
      // resynchronization covers all damaged protocol lines.
      while (try? await SystemClock.sleep(until: SystemClock.monotonic + .seconds(1))) != nil,
        await self?.refresh() == true
      {}
    }
  }

  /// Asks the gateway for the present states. Returns whether a further protocol line was lost during the call.
  private func refresh() async -> Bool {
    isBehind = false
    if case .connected(let link) = connectionState {
      do {
        try await subscribeToStates(on: link)
        try await resumeQuestions(on: link, isSame: true)
        if once?.isAccepted == true { try await resumeOnce(on: link, isSame: true) }
        if updatesInProgress?.isAccepted == true { try await resumeUpdates(on: link, isSame: true) }
      } catch {
        // The error needs no reaction. If the connection was lost, the next connection asks for all states. If the
        // gateway refused a command, for example because the client asks too often, the client does not repeat the
        // command.
      }
    }
    isResynchronizing = isBehind
    return isBehind
  }

  /// Subscribes again to all states with a subscription, because the gateway then sends the present states.
  func subscribeToStates(on link: Link) async throws(LinkError) {
    if authorizations.isSubscribed { try await subscribe(authorizations, on: link) }
    if indications.isSubscribed { try await subscribe(indications, on: link) }
    if receivers.isSubscribed { try await subscribe(receivers, on: link) }
  }

  /// Waits for a fix that was lost in transmission and that the gateway will send again. If the fix does not arrive in
  /// time, the request fails.
  func awaitRedelivery(_ outcome: OneShot<Result<FixReport, ClientError>>) {
    Task {
      try? await SystemClock.sleep(until: SystemClock.monotonic + Self.redelivery)
      outcome.resolve(.failure(.connectionLost))
    }
  }
}
