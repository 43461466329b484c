import OperatingSystem

/// Recovery from a damaged protocol line. The client asks the gateway for all states that the damaged line may have
/// contained.
extension OneFixClient {
  /// The maximum time to wait for a fix that the gateway sends again. The gateway repeats an unacknowledged fix within
  /// 20 s after the first transmission.
  private static let redelivery = Duration.seconds(25)

  /// Schedules a query of all present states at the gateway, one second later. If a query is already in progress, a
  /// further query follows.
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

  /// Asks the gateway for all present states: the authorization, the indicator, the receiver and the pending requests.
  ///
  /// - Returns: Whether another protocol line was lost during the call.
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

  /// Subscribes again to the states that the app reads, for example the authorization. The gateway answers each
  /// subscription with the present state.
  func subscribeToStates(on link: Link) async throws(LinkError) {
    if authorizations.isSubscribed { try await subscribe(authorizations, on: link) }
    if indications.isSubscribed { try await subscribe(indications, on: link) }
    if receivers.isSubscribed { try await subscribe(receivers, on: link) }
  }

  /// Lets a request fail with `connectionLost` in 25 s, unless the gateway sends the lost fix again before then.
  func awaitRedelivery(_ outcome: OneShot<Result<FixReport, ClientError>>) {
    Task {
      try? await SystemClock.sleep(until: SystemClock.monotonic + Self.redelivery)
      outcome.resolve(.failure(.connectionLost))
    }
  }
}
