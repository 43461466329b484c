import Clocks
import LineProtocol
import OperatingSystem

/// A request from the app's call to its end, through as many connections as it takes.
final class OnceInProgress {
  let request: OnceRequest
  /// When it is over, wherever the gateway is.
  let deadline: MonotonicInstant
  let outcome = OneShot<Result<FixReport, ClientError>>()
  let pressed: @Sendable (OneFixClient.PressNews) -> Void
  private let armed: @Sendable () -> Void
  /// Of the command that said it last in this session; nil where none did.
  var tag: String?
  private(set) var isAccepted = false

  /// What the gateway gives a request that says no timeout.
  private static let usualTimeout = 300
  /// What STATUS says of a session whose request is under way.
  static let heldStates: Set<String> = ["awaiting-press", "acquiring"]

  init(
    _ request: OnceRequest, armed: @escaping @Sendable () -> Void,
    pressed: @escaping @Sendable (OneFixClient.PressNews) -> Void
  ) {
    self.request = request
    self.armed = armed
    self.pressed = pressed
    // One that no gateway takes is the gateway's to refuse.
    deadline = SystemClock.monotonic + .seconds(max(1, request.timeout ?? Self.usualTimeout))
  }

  /// - Parameter state: as the gateway says it.
  func accept(as state: String?) {
    defer { isAccepted = true }
    if state == "awaiting-press" && !isAccepted { armed() }
  }

  /// The request with what is left of its time; nil where nothing is left.
  func request(at now: MonotonicInstant) -> OnceRequest? {
    guard now < deadline else { return nil }
    guard isAccepted else { return request }
    var request = request
    request.timeout = Int(((deadline - now).milliseconds + 999) / 1000)
    return request
  }
}

extension OneFixClient {
  /// Asks for one fix and waits until a person pressed and the fix came.
  ///
  /// The fix is acknowledged, and given once, however often the gateway sends it. Cancelling the task cancels the
  /// request: the call returns when the gateway knows. Where the connection is lost, the request goes on if it comes
  /// back within the gateway's grace; else it is made again, for what is left of its timeout.
  ///
  /// - Parameters:
  ///   - request: what is asked for.
  ///   - armed: called once, when the gateway waits for the press; never where no press is needed.
  ///   - pressed: called for each press that concerns this app.
  /// - Throws: ``ClientError/noPress(_:)``, ``ClientError/denied(_:)``, ``ClientError/restricted(_:)``,
  ///   ``ClientError/locked(_:)``, ``ClientError/noFix(_:)``, ``ClientError/withheld(_:)``,
  ///   ``ClientError/tooSoon(_:retryAfter:)``, ``ClientError/alreadyAsking(_:)``, ``ClientError/expired(_:)``,
  ///   ``ClientError/connectionLost``, ``ClientError/cancelled``: <doc:Errors> says what to do.
  public func requestOnce(
    _ request: OnceRequest = OnceRequest(), armed: @escaping @Sendable () -> Void = {},
    pressed: @escaping @Sendable (PressNews) -> Void = { _ in }
  ) async throws(ClientError) -> FixReport {
    guard once == nil else {
      throw .alreadyAsking(LineError(.alreadyArmed, "this client waits for a press or a fix already"))
    }
    let asking = OnceInProgress(request, armed: armed, pressed: pressed)
    once = asking
    defer { once = nil }
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
    if case .connected(let link) = standing, once.tag != nil { _ = try? await link.say(.cancel) }
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
    asking.accept(as: try await state(of: request, tag, on: link))
    let isOver =
      switch asking.outcome.present {
      // It was cancelled on its way, perhaps before it was there.
      case .failure?: true
      // Its fix was here before its reply: said again, it is another.
      case .success?: link.isNoisy
      case nil: false
      }
    // The app's next request may not come before it.
    if isOver { _ = try? await link.say(.cancel) }
  }

  private func state(of request: OnceRequest, _ tag: String, on link: Link) async throws(LinkError) -> String? {
    do throws(LinkError) {
      return try await link.say(.requestOnce(request), tag: tag)["state"]
    } catch .refused(let error, let fields) where error.code == .alreadyArmed && link.isNoisy {
      // It may have been heard before, and its reply lost.
      let state = try await link.say(.status)["state"] ?? ""
      guard OnceInProgress.heldStates.contains(state) else { throw .refused(error, fields) }
      return state
    }
  }

  /// Brings a request onto a new connection.
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
    // A fix that waited for this session has come before this reply.
    let state = try await link.say(.status)["state"] ?? ""
    let isHeld = OnceInProgress.heldStates.contains(state)
    let asking = inProgress
    if isHeld, let asking, asking.tag != nil {
      asking.accept(as: state)
    } else if isHeld {
      // Who asked has given up meanwhile.
      _ = try await link.say(.cancel)
    } else if let asking, asking.isAccepted {
      if link.isNoisy {
        awaitRedelivery(asking.outcome)
      } else {
        asking.outcome.resolve(.failure(.connectionLost))
      }
    }
  }

  /// The request that nothing has come of yet.
  var inProgress: OnceInProgress? { once.flatMap { $0.outcome.isResolved ? nil : $0 } }

  /// A request does not wait longer than its timeout for a gateway that is away.
  func expireOnceWhileAway() {
    guard let asking = once else { return }
    let (deadline, outcome) = (asking.deadline, asking.outcome)
    Task { [weak self] in
      try? await SystemClock.sleep(until: deadline)
      await self?.expire(outcome)
    }
  }

  private func expire(_ outcome: OneShot<Result<FixReport, ClientError>>) {
    guard case .away = standing else { return }
    outcome.resolve(.failure(.connectionLost))
    wake()
  }

  func acceptFix(_ message: ServerLine.Message) async {
    if let id = message.id {
      await current.link?.tell(.acknowledge(id))
      // Sent again because its acknowledgement was late: it is no answer to a later request.
      guard id > lastFix else { return }
      lastFix = id
    }
    guard let once, once.tag != nil else { return }
    do throws(ClientError) {
      once.outcome.resolve(.success(try FixReport(json: message.json)))
    } catch {
      once.outcome.resolve(.failure(error))
    }
  }

  func acceptPress(_ json: String) async {
    guard let news = PressNews(json: json) else { return }
    pressNews.send(news)
    guard let once, once.tag != nil, !once.outcome.isResolved else { return }
    once.pressed(news)
    guard case .unauthorized("restricted") = news else { return }
    await current.link?.tell(.cancel)
    let error = LineError(.restricted, "the owner's configuration forbids this app to know the location")
    once.outcome.resolve(.failure(.restricted(error)))
  }
}
