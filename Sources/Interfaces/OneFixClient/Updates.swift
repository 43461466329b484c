import LineProtocol

/// Updates from the app's loop to its end, through as many connections as it takes.
final class UpdatesInProgress {
  let request: UpdatesRequest
  /// The newest fix alone: an older one is of no use.
  let mailbox = Mailbox<FixReport>(capacity: 1)
  /// Of the command that started them last.
  var tag: String?
  var isAccepted = false

  init(_ request: UpdatesRequest) { self.request = request }
}

extension OneFixClient {
  /// Fixes, one after the other, for as long as they are waited for.
  ///
  /// The app has to have been allowed to know while it is in use, or always (``requestAuthorization(_:)``), and one
  /// loop at a time may have updates. A loop that is slow gets the newest fix: one waits for it at most. With reduced
  /// accuracy there is one fix each quarter hour.
  ///
  /// The end of the loop, or of its task, ends the updates. They go on through lost connections: where the gateway has
  /// given up the session, they are started anew.
  ///
  /// The loop throws ``ClientError/notDetermined(_:)``, ``ClientError/denied(_:)``, ``ClientError/restricted(_:)``,
  /// ``ClientError/notInUse(_:)``, ``ClientError/locked(_:)``, ``ClientError/expired(_:)``,
  /// ``ClientError/withheld(_:)``, ``ClientError/alreadyAsking(_:)``.
  /// - Parameter request: how often, and whether they go on when the app is not in use.
  public nonisolated func updates(_ request: UpdatesRequest = UpdatesRequest()) -> News<FixReport> {
    News { () async throws(ClientError) -> Mailbox<FixReport> in
      try await self.start(request)
    } close: { mailbox in
      mailbox.abandon()
      Task { await self.stop(mailbox) }
    }
  }

  private func start(_ request: UpdatesRequest) async throws(ClientError) -> Mailbox<FixReport> {
    // The loop before may have ended a moment ago.
    if let former = updatesInProgress?.mailbox, former.isAbandoned { stop(former) }
    await stopping?.value
    guard updatesInProgress == nil else {
      throw .alreadyAsking(LineError(.alreadyArmed, "this client has updates already; end that loop first"))
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
      _ = try await link.say(.startUpdates(running.request), tag: tag)
    } catch .refused(let error, _) where error.code == .alreadyArmed && link.isNoisy && !running.isAccepted {
      // It was heard before, and its reply lost: a session that has updates of another loop has ended them.
    }
    running.isAccepted = true
  }

  private func stop(_ mailbox: Mailbox<FixReport>) {
    guard updatesInProgress?.mailbox === mailbox else { return }
    updatesInProgress = nil
    // A gateway that is away is told when it is back.
    guard case .connected(let link) = standing else { return }
    stopping = Task { _ = try? await link.say(.stopUpdates) }
  }

  /// Brings updates onto a new connection.
  func resumeUpdates(on link: Link, isSame: Bool) async throws(LinkError) {
    guard let running = updatesInProgress, running.isAccepted else {
      // Nobody waits for those that the session may have.
      if isSame { _ = try await link.say(.stopUpdates) }
      return
    }
    let former = running.tag
    do throws(LinkError) {
      try await start(running, on: link)
    } catch .refused(let error, _) where error.code == .alreadyArmed && isSame {
      // They go on, under the tag that they had.
      running.tag = former
    } catch {
      guard error.isAnswer else { throw error }
      if updatesInProgress === running { finishUpdates(ClientError(error)) }
      return
    }
    // Their loop has ended meanwhile, and could not say so.
    if updatesInProgress !== running { _ = try await link.say(.stopUpdates) }
  }

  func acceptUpdate(_ json: String) {
    guard let fix = try? FixReport(json: json) else { return }
    updatesInProgress?.mailbox.put(fix)
  }

  func finishUpdates(_ error: ClientError) {
    updatesInProgress?.mailbox.finish(error)
    updatesInProgress = nil
  }
}
