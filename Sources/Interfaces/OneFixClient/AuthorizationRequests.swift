import LineProtocol

/// The outcome of a request for authorization, about which the gateway can ask a user.
enum QuestionEnd: Sendable {
  case answered(OneFixClient.Authorization)
  /// The gateway withdrew the question, because the client's session ended, or because the client cancelled a request
  /// for one fix. The client must send the request for authorization again. If a user could see the question, the
  /// gateway refuses the next question of the app for an hour.
  case withdrawn
  case over(ClientError)
}

extension OneFixClient {
  /// Asks a user for an authorization, and waits for the answer.
  ///
  /// The call returns immediately if the gateway does not need to ask a user. Otherwise the gateway shows a prompt (a
  /// question to the user) for 60 seconds. If no user answers the prompt, the authorization does not change, and
  /// further calls may throw ``ClientError/tooSoon(_:retryAfter:)`` for one hour or longer. If the task is cancelled,
  /// the prompt stays open. If the app cancels a call of ``requestOnce(_:armed:pressed:)``, the gateway closes the
  /// prompt; if a user could see the prompt, this call then throws ``ClientError/tooSoon(_:retryAfter:)``.
  ///
  /// - Returns: The app's authorization after the prompt.
  /// - Throws: ``ClientError/denied(_:)``, ``ClientError/restricted(_:)`` or ``ClientError/locked(_:)`` if the gateway
  ///   refuses the request without a prompt. ``ClientError/tooSoon(_:retryAfter:)`` if the app must wait before its
  ///   next request. ``ClientError/invalid(_:)`` if the purpose is not allowed. ``ClientError/cancelled`` if the task
  ///   is cancelled.
  public func requestAuthorization(_ request: AuthorizationRequest) async throws(ClientError) -> Authorization {
    try await subscribe(to: authorizations)
    // Whether the gateway may have accepted an earlier copy of the command, whose reply was lost.
    var wasSent = false
    while true {
      let link = try await connectedLink()
      let question = OneShot<QuestionEnd>()
      questions.append(question)
      defer { questions.removeAll { $0 === question } }
      let fields: ServerLine.Fields
      do throws(LinkError) { fields = try await link.send(request.command, isCancellable: true) } catch {
        if error.isAnswer { throw ClientError(error) }
        wasSent = true
        await noteLoss(of: link)
        continue
      }
      if fields["state"] != "asking" {
        // The reply to a repeated command does not show whether a prompt is open, so the client asks for the status.
        guard wasSent || link.isNoisy, await isAsking(on: link) else { return try authorization(in: fields) }
      }
      let end = await withTaskCancellationHandler {
        await question.value
      } onCancel: {
        question.resolve(.over(.cancelled))
      }
      switch end {
      case .answered(let authorization): return authorization
      case .over(let error): throw error
      case .withdrawn: continue
      }
    }
  }

  private func isAsking(on link: Link) async -> Bool {
    (try? await link.send(.status))?["indicator"] == Indicator.prompt.rawValue
  }

  private func authorization(in fields: ServerLine.Fields) throws(ClientError) -> Authorization {
    guard let authorization = Authorization(status: fields["authorization"], accuracy: fields["accuracy"]) else {
      throw .unexpected("it sent an authorization that this version does not support")
    }
    return authorization
  }

  /// Continues the requests for authorization that were pending when the connection was lost.
  /// - Parameter isSame: Whether the gateway has resumed the client's session from before the loss.
  func resumeQuestions(on link: Link, isSame: Bool) async throws(LinkError) {
    guard !questions.isEmpty else { return }
    guard isSame else {
      for question in questions { question.resolve(.withdrawn) }
      return
    }
    let fields = try await link.send(.status)
    if fields["indicator"] == Indicator.prompt.rawValue { return }
    guard let authorization = Authorization(status: fields["authorization"], accuracy: fields["accuracy"]) else {
      return
    }
    for question in questions { question.resolve(.answered(authorization)) }
  }

  func acceptAuthorization(_ message: ServerLine.Message) {
    guard let authorization = Authorization(json: message.json) else { return }
    authorizations.send(authorization)
    // The gateway sends a message after each prompt, even if the authorization did not change.
    if !message.isRetained { for question in questions { question.resolve(.answered(authorization)) } }
  }

  /// Reports to the gateway that the app is in the background.
  ///
  /// Five seconds later, the gateway no longer counts the app as in use. Then the only updates (streams of fixes) that
  /// continue are those with `UpdatesRequest(isBackground: true)`.
  public func enterBackground() async throws(ClientError) {
    isInBackground = true
    _ = try await send(.state(isInBackground: true))
  }

  /// Reports to the gateway that the app is in the foreground.
  ///
  /// The gateway counts the app as in use only after a further action of a user, for example a press of the button.
  public func enterForeground() async throws(ClientError) {
    isInBackground = false
    _ = try await send(.state(isInBackground: false))
  }
}
