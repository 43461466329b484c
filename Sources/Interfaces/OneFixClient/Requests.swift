import Base
import LineProtocol
import OperatingSystem

/// A pending request for one fix. The request can outlive its connection, and continue on the next connection.
final class OnceInProgress {
  let request: OnceRequest
  /// The instant at which the request fails if no fix has arrived. The deadline also applies while the connection is
  /// lost.
  let deadline: MonotonicInstant
  let outcome = OneShot<Result<FixReport, ClientError>>()
  let pressed: @Sendable (OneFixClient.PressNotification) -> Void
  private let armed: @Sendable () -> Void
  /// The tag (an id of the command) of the latest command REQ, which requests one fix. The tag is nil if the client has
  /// not sent REQ in this session at the gateway.
  var tag: String?
  private(set) var isAccepted = false

  /// The gateway's default timeout of a request, in seconds.
  private static let usualTimeout = 300
  /// The values of the field `state` in the gateway's reply to STATUS that mean that a request for one fix is pending.
  static let heldStates: Set<String> = ["awaiting-press", "acquiring"]

  init(
    _ request: OnceRequest, armed: @escaping @Sendable () -> Void,
    pressed: @escaping @Sendable (OneFixClient.PressNotification) -> Void
  ) {
    self.request = request
    self.armed = armed
    self.pressed = pressed
    // The gateway checks the range of the timeout.
    deadline = SystemClock.monotonic + .seconds(max(1, request.timeout ?? Self.usualTimeout))
  }

  /// Records that the gateway has accepted the request. On the first call, the function calls `armed` if the gateway
  /// waits for a press of its button.
  /// - Parameter state: The value of the field `state` in the gateway's reply.
  func accept(as state: String?) {
    defer { isAccepted = true }
    if state == "awaiting-press" && !isAccepted { armed() }
  }

  /// Returns the request to send; nil after the deadline. If the gateway has accepted the request before, the timeout
  /// is the remaining time.
  func request(at now: MonotonicInstant) -> OnceRequest? {
    guard now < deadline else { return nil }
    guard isAccepted else { return request }
    var request = request
    request.timeout = Int((deadline - now).secondsRoundedUp)
    return request
  }
}

extension OneFixClient {
  /// Requests one fix, waits for a press of the gateway's button, and returns the fix.
  ///
  /// If the task is cancelled, the client cancels the request at the gateway. The call then ends after the gateway has
  /// replied. The gateway then also closes an open prompt of ``requestAuthorization(_:)``.
  ///
  /// If a lost connection is restored within five seconds (the gateway's grace period), the request continues.
  /// Otherwise the client sends the request again with the remaining timeout.
  ///
  /// - Parameters:
  ///   - request: The options of the request.
  ///   - armed: Called once, when the gateway waits for a press of the button; not called if no press is necessary.
  ///   - pressed: Called with the result of each press of the button that concerns this app.
  /// - Throws: ``ClientError/noPress(_:)``, ``ClientError/denied(_:)``, ``ClientError/restricted(_:)``,
  ///   ``ClientError/locked(_:)``, ``ClientError/noFix(_:)``, ``ClientError/withheld(_:)``,
  ///   ``ClientError/tooSoon(_:retryAfter:)``, ``ClientError/alreadyAsking(_:)``, ``ClientError/expired(_:)``,
  ///   ``ClientError/connectionLost``, ``ClientError/cancelled``. <doc:Errors> describes the reaction to each error.
  public func requestOnce(
    _ request: OnceRequest = OnceRequest(), armed: @escaping @Sendable () -> Void = {},
    pressed: @escaping @Sendable (PressNotification) -> Void = { _ in }
  ) async throws(ClientError) -> FixReport {
    guard once == nil else {
      throw .alreadyAsking(LineError(.alreadyArmed, "this client already waits for a press or a fix"))
    }
    let asking = OnceInProgress(request, armed: armed, pressed: pressed)
    once = asking
    defer { once = nil }
    if case .away = connectionState { expireOnceWhileAway() }
    let outcome = asking.outcome
    return try await withTaskCancellationHandler {
      await arm(asking)
      return await outcome.value
    } onCancel: {
      Task { await self.cancel(outcome) }
    }.get()
  }

  private func cancel(_ outcome: OneShot<Result<FixReport, ClientError>>) async {
    guard let once, once.outcome === outcome, !outcome.isResolved else { return }
    if case .connected(let link) = connectionState, once.tag != nil { try? await withdrawRequest(on: link) }
    outcome.resolve(.failure(.cancelled))
    wake()
  }

  private func arm(_ asking: OnceInProgress) async {
    do throws(ClientError) {
      while !asking.outcome.isResolved && !asking.isAccepted {
        let link = try await connectedLink { !asking.outcome.isResolved }
        if asking.outcome.isResolved || asking.isAccepted { return }
        do throws(LinkError) { try await ask(asking, on: link) } catch {
          if error.isAnswer { throw ClientError(error) }
          await noteLoss(of: link)
        }
      }
    } catch {
      asking.outcome.resolve(.failure(error))
    }
  }

  private func ask(_ asking: OnceInProgress, on link: Link) async throws(LinkError) {
    guard let request = asking.request(at: SystemClock.monotonic) else {
      return asking.outcome.resolve(.failure(.connectionLost))
    }
    let tag = Link.newTag()
    asking.tag = tag
    asking.accept(as: try await state(of: request, tag, asking.outcome, on: link))
    let isOver =
      switch asking.outcome.present {
      // The app cancelled the request before the reply arrived. The gateway may have received CANCEL before the
      // request, so the client sends CANCEL again.
      case .failure?: true
      // The fix arrived before the reply. If the link sent the command twice, the gateway may have accepted the second
      // copy as a new request. The client cancels this new request.
      case .success?: link.isNoisy
      case nil: false
      }
    // The client waits for the reply, so that the gateway receives the app's next request after the CANCEL.
    if isOver { try? await withdrawRequest(on: link) }
  }

  private func state(
    of request: OnceRequest, _ tag: String, _ outcome: OneShot<Result<FixReport, ClientError>>, on link: Link
  ) async throws(LinkError) -> String? {
    do throws(LinkError) {
      return try await link.send(.requestOnce(request), tag: tag)["state"]
    } catch .refused(let error, let fields) where error.code == .alreadyArmed && link.isNoisy {
      // If the first reply was lost, the gateway has accepted the first copy of the command, and refuses the second
      // copy.
      let state = try await link.send(.status)["state"] ?? ""
      if OnceInProgress.heldStates.contains(state) { return state }
      // The first copy was accepted, and has ended since. Its fix comes, or comes again if its line was lost.
      guard await link.wasRepeated(tag) else { throw .refused(error, fields) }
      awaitRedelivery(outcome)
      return state
    }
  }

  /// Continues the request for one fix, on a new connection or after a lost protocol line.
  /// - Parameter isSame: Whether the gateway has resumed the client's session from before the loss.
  func resumeOnce(on link: Link, isSame: Bool) async throws(LinkError) {
    guard isSame else {
      let asking = inProgress
      asking?.tag = nil
      guard let asking, asking.isAccepted else { return }
      do throws(LinkError) { try await ask(asking, on: link) } catch {
        guard error.isAnswer else { throw error }
        asking.outcome.resolve(.failure(ClientError(error)))
      }
      return
    }
    // If the gateway has a fix for this session, it sends the fix before the reply to STATUS.
    let state = try await link.send(.status)["state"] ?? ""
    let isHeld = OnceInProgress.heldStates.contains(state)
    let asking = inProgress
    if isHeld, let asking, asking.tag != nil {
      asking.accept(as: state)
    } else if isHeld {
      // The app has cancelled the request that the gateway still has.
      try await withdrawRequest(on: link)
    } else if let asking, asking.isAccepted {
      if link.isNoisy {
        awaitRedelivery(asking.outcome)
      } else {
        asking.outcome.resolve(.failure(.connectionLost))
      }
    }
  }

  /// Cancels the request for one fix at the gateway. The gateway then also closes the question that the session asked,
  /// and sends no message about the question. The client therefore sends the question again, and so learns its end:
  /// if a user could see the question, the gateway refuses the next one with 430 for an hour.
  func withdrawRequest(on link: Link) async throws(LinkError) {
    let withdrawn = questions
    _ = try await link.send(.cancel)
    for question in withdrawn { question.resolve(.withdrawn) }
  }

  var inProgress: OnceInProgress? { once.flatMap { $0.outcome.isResolved ? nil : $0 } }

  /// Schedules the failure of the request for one fix at its deadline. At the deadline, the request fails only if the
  /// connection is still lost.
  func expireOnceWhileAway() {
    guard let asking = once else { return }
    let (deadline, outcome) = (asking.deadline, asking.outcome)
    Task { [weak self] in
      try? await SystemClock.sleep(until: deadline)
      await self?.expire(outcome)
    }
  }

  private func expire(_ outcome: OneShot<Result<FixReport, ClientError>>) {
    guard case .away = connectionState else { return }
    outcome.resolve(.failure(.connectionLost))
    wake()
  }

  func acceptFix(_ message: ServerLine.Message) async {
    if let id = message.id {
      await current.link?.sendIgnoringReply(.acknowledge(id))
      // The gateway repeats a fix whose acknowledgement was late. This fix is not the answer to a later request.
      guard id > lastFix else { return }
      lastFix = id
    }
    guard let once, let tag = once.tag else { return }
    // A fix that came before the reply to the request belongs to an earlier request, except on connections that lose
    // protocol lines: there, the reply may be lost.
    if let link = current.link, !link.isNoisy, !link.endpoint.isSerial, await link.isPending(tag) { return }
    do throws(ClientError) {
      once.outcome.resolve(.success(try FixReport(json: message.json)))
    } catch {
      once.outcome.resolve(.failure(error))
    }
  }

  func acceptPress(_ json: String) async {
    guard let news = PressNotification(json: json) else { return }
    pressNotifications.send(news)
    guard let once, once.tag != nil, !once.outcome.isResolved else { return }
    once.pressed(news)
    guard case .unauthorized("restricted") = news else { return }
    await current.link?.sendIgnoringReply(.cancel)
    let error = LineError(.restricted, "the configuration does not allow this app to receive a location")
    once.outcome.resolve(.failure(.restricted(error)))
  }
}
