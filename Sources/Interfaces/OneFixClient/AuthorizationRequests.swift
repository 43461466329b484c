import LineProtocol

/// The end of a prompt.
enum QuestionEnd: Sendable {
  case answered(OneFixClient.Authorization)
  /// The session ended: the client may ask again.
  case withdrawn
  case over(ClientError)
}

extension OneFixClient {
  /// Asks the person, and waits for what the app may know then.
  ///
  /// Where there is nothing to ask, it returns at once. A question is open for ten seconds, and may have to wait for
  /// its turn; where nobody answers, nothing changes, and for an hour and longer ``ClientError/tooSoon(_:retryAfter:)``
  /// is thrown. Cancelling the task ends the wait; the question stays until somebody answers or its time is over.
  /// - Parameter request: what is asked for.
  /// - Returns: what the app may know, whatever was answered.
  /// - Throws: ``ClientError/denied(_:)``, ``ClientError/restricted(_:)``, ``ClientError/locked(_:)``: at once, without
  ///   a question; ``ClientError/tooSoon(_:retryAfter:)``, ``ClientError/invalid(_:)``, ``ClientError/cancelled``.
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
        // The reply to a repeated command does not tell whether there is a prompt.
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

  /// Says that the app is not in front of a person any more.
  ///
  /// What it may know while in use ends after five seconds, except for updates with
  /// `UpdatesRequest(isBackground: true)`.
  /// - Throws: ``ClientError``
  public func enterBackground() async throws(ClientError) {
    isInBackground = true
    _ = try await say(.state(isInBackground: true))
  }

  /// Says that the app is in front of a person again. Use does not begin by it: that needs a person's act.
  /// - Throws: ``ClientError``
  public func enterForeground() async throws(ClientError) {
    isInBackground = false
    _ = try await say(.state(isInBackground: false))
  }
}
