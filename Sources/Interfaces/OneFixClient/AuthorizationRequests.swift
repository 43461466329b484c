import LineProtocol

/// The end of a prompt.
enum QuestionEnd: Sendable {
  case answered(OneFixClient.Authorization)
  /// The session ended: the client may ask again.
  case withdrawn
  case over(ClientError)
}

extension OneFixClient {
  /// Asks the user for an authorization and waits for the result.
  ///
  /// The call returns immediately if no prompt is necessary. A prompt is open for ten seconds, and may be queued first.
  /// If the user does not answer, the authorization does not change, and further calls throw
  /// ``ClientError/tooSoon(_:retryAfter:)`` for one hour or longer. Cancelling the task ends the wait. The prompt stays
  /// open until the user answers or its time ends.
  /// - Parameter request: the requested authorization.
  /// - Returns: the authorization after the prompt, for every answer.
  /// - Throws: ``ClientError/denied(_:)``, ``ClientError/restricted(_:)``, ``ClientError/locked(_:)``: immediately,
  ///   without a prompt; ``ClientError/tooSoon(_:retryAfter:)``, ``ClientError/invalid(_:)``,
  ///   ``ClientError/cancelled``.
  public func requestAuthorization(_ request: AuthorizationRequest) async throws(ClientError) -> Authorization {
    try await subscribe(to: authorizations)
    while true {
      let link = try await connectedLink()
      let question = OneShot<QuestionEnd>()
      questions.append(question)
      defer { questions.removeAll { $0 === question } }
      let fields: ServerLine.Fields
      do throws(LinkError) { fields = try await link.say(request.command, isCancellable: true) } catch {
        if error.isAnswer { throw ClientError(error) }
        await noteLoss(of: link)
        continue
      }
      if fields["state"] != "asking" {
        // The reply to a repeated command does not show whether there is a prompt.
        guard link.isNoisy, await isAsking(on: link) else { return try authorization(in: fields) }
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
    (try? await link.say(.status))?["indicator"] == Indicator.prompt.rawValue
  }

  private func authorization(in fields: ServerLine.Fields) throws(ClientError) -> Authorization {
    guard let authorization = Authorization(status: fields["authorization"], accuracy: fields["accuracy"]) else {
      throw .unexpected("an authorization that this version does not know")
    }
    return authorization
  }

  /// Resumes the prompts that were open when the connection was lost.
  func resumeQuestions(on link: Link, isSame: Bool) async throws(LinkError) {
    guard !questions.isEmpty else { return }
    guard isSame else {
      for question in questions { question.resolve(.withdrawn) }
      return
    }
    let fields = try await link.say(.status)
    if fields["indicator"] == Indicator.prompt.rawValue { return }
    guard let authorization = Authorization(status: fields["authorization"], accuracy: fields["accuracy"]) else {
      return
    }
    for question in questions { question.resolve(.answered(authorization)) }
  }

  func acceptAuthorization(_ message: ServerLine.Message) {
    guard let authorization = Authorization(json: message.json) else { return }
    authorizations.send(authorization)
    // The gateway sends it after each prompt, also without a change.
    if !message.isRetained { for question in questions { question.resolve(.answered(authorization)) } }
  }

  /// Reports that the app is in the background.
  ///
  /// The authorization while in use ends after five seconds, except for updates with `UpdatesRequest(isBackground:
  /// true)`.
  /// - Throws: ``ClientError``
  public func enterBackground() async throws(ClientError) {
    isInBackground = true
    _ = try await say(.state(isInBackground: true))
  }

  /// Reports that the app is in the foreground. This does not begin use: use begins with an action of the user.
  /// - Throws: ``ClientError``
  public func enterForeground() async throws(ClientError) {
    isInBackground = false
    _ = try await say(.state(isInBackground: false))
  }
}
