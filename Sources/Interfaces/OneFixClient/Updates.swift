import LineProtocol

/// A running stream of fixes (updates), which need no press of the button. The stream can continue on the next
/// connection after its connection is lost.
final class UpdatesInProgress {
  let request: UpdatesRequest
  /// The newest fix that the app has not read yet.
  let mailbox = Mailbox<FixReport>(capacity: 1)
  /// The tag (an id of the command) of the latest command START, which starts a stream of fixes; nil before the first
  /// START.
  var tag: String?
  var isAccepted = false

  init(_ request: UpdatesRequest) { self.request = request }
}

extension OneFixClient {
  /// Returns a sequence of fixes. The updates (the transmission of fixes) begin when a loop over the sequence waits for
  /// its first fix, and end with the loop.
  ///
  /// The app needs the status `whenInUse` or `always` (``requestAuthorization(_:)``). Only one loop at a time can
  /// receive updates. A slow loop receives only the newest fix. With reduced accuracy, at most one fix arrives in each
  /// quarter of an hour. After a lost connection is restored, the updates continue.
  ///
  /// The loop throws ``ClientError/notDetermined(_:)``, ``ClientError/denied(_:)``, ``ClientError/restricted(_:)``,
  /// ``ClientError/notInUse(_:)``, ``ClientError/locked(_:)``, ``ClientError/expired(_:)``,
  /// ``ClientError/withheld(_:)`` or ``ClientError/alreadyAsking(_:)``.
  public nonisolated func updates(_ request: UpdatesRequest = UpdatesRequest()) -> Notifications<FixReport> {
    Notifications { () async throws(ClientError) -> Mailbox<FixReport> in
      try await self.start(request)
    } close: { mailbox in
      mailbox.abandon()
      Task { await self.stop(mailbox) }
    }
  }

  private func start(_ request: UpdatesRequest) async throws(ClientError) -> Mailbox<FixReport> {
    // The previous loop may have ended without stopping its updates.
    if let former = updatesInProgress?.mailbox, former.isAbandoned { stop(former) }
    await stopping?.value
    guard updatesInProgress == nil else {
      throw .alreadyAsking(LineError(.alreadyArmed, "this client already receives updates (end that loop first)"))
    }
    let running = UpdatesInProgress(request)
    updatesInProgress = running
    do throws(ClientError) {
      while !running.isAccepted {
        let link = try await connectedLink()
        do throws(LinkError) { try await start(running, on: link) } catch {
          if error.isAnswer { throw ClientError(error) }
          await noteLoss(of: link)
        }
      }
    } catch {
      if updatesInProgress === running { updatesInProgress = nil }
      throw error
    }
    return running.mailbox
  }

  private func start(_ running: UpdatesInProgress, on link: Link) async throws(LinkError) {
    let tag = Link.newTag()
    running.tag = tag
    do throws(LinkError) {
      _ = try await link.send(.startUpdates(running.request), tag: tag)
    } catch .refused(let error, _) where error.code == .alreadyArmed && link.isNoisy && !running.isAccepted {
      // The first reply was lost, so the link repeated the command. The gateway accepted the first copy and refused the
      // second copy.
    }
    running.isAccepted = true
  }

  private func stop(_ mailbox: Mailbox<FixReport>) {
    guard updatesInProgress?.mailbox === mailbox else { return }
    updatesInProgress = nil
    // If the client is not connected now, `resumeUpdates` stops the updates on the next connection.
    guard case .connected(let link) = connectionState else { return }
    stopping = Task { _ = try? await link.send(.stopUpdates) }
  }

  /// Continues the updates (a stream of fixes), on a new connection or after a lost protocol line.
  /// - Parameter isSame: Whether the gateway has resumed the client's session from before the loss.
  func resumeUpdates(on link: Link, isSame: Bool) async throws(LinkError) {
    guard let running = updatesInProgress, running.isAccepted else {
      // The resumed session may have updates that no loop reads.
      if isSame { _ = try await link.send(.stopUpdates) }
      return
    }
    let former = running.tag
    do throws(LinkError) {
      try await start(running, on: link)
    } catch .refused(let error, _) where error.code == .alreadyArmed && isSame {
      // The updates of the session continue with their previous tag.
      running.tag = former
    } catch {
      guard error.isAnswer else { throw error }
      if updatesInProgress === running { finishUpdates(ClientError(error)) }
      return
    }
    // The loop ended while the client was connecting again.
    if updatesInProgress !== running { _ = try await link.send(.stopUpdates) }
  }

  func acceptUpdate(_ json: String) {
    guard let fix = try? FixReport(json: json) else { return }
    updatesInProgress?.mailbox.append(fix)
  }

  func finishUpdates(_ error: ClientError) {
    updatesInProgress?.mailbox.finish(error)
    updatesInProgress = nil
  }
}
