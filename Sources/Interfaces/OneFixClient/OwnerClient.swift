package import LineProtocol

/// A client for owners (administrators) of the gateway. The client uses one connection to the owners' Unix socket, and
/// does not reconnect.
package actor OwnerClient {
  package nonisolated let greeting: ServerLine.Fields
  private let link: Link
  private let following: Following

  private init(_ link: Link, _ greeting: ServerLine.Fields, _ following: Following) {
    self.link = link
    self.greeting = greeting
    self.following = following
  }

  package static func connect(_ endpoint: OneFixClient.Endpoint) async throws(LinkError) -> OwnerClient {
    let following = Following()
    let link = try await Link.open(endpoint, isOwners: true, keepalive: 0) { news in
      if case .message(let message) = news { await following.dispatch(message) }
    }
    do {
      _ = try await link.authenticate(app: nil, keepalive: 0)
    } catch {
      link.cut()
      throw error
    }
    let client = OwnerClient(link, await link.greeting, following)
    Task { await following.finish(await link.over()) }
    return client
  }

  /// Connects to a gateway, calls the closure with the client, and closes the connection.
  package static func with<Value>(
    _ endpoint: OneFixClient.Endpoint, _ action: (OwnerClient) async throws -> Value
  ) async throws -> Value {
    let client = try await connect(endpoint)
    do {
      let value = try await action(client)
      await client.close()
      return value
    } catch {
      await client.close()
      throw error
    }
  }

  /// Sends a command. Returns the fields of the reply, and the list of messages that the gateway sent before the reply.
  package func perform(_ command: Command) async throws(LinkError) -> Link.Reply {
    try await link.request(command) { $0.sid == "-" }
  }

  /// Subscribes to topics of the gateway, and returns the stream of messages. The first messages are the present states
  /// of the topics. The stream throws an error when the connection ends.
  package func messages(
    on topics: [Topic]
  ) async throws -> AsyncThrowingStream<ServerLine.Message, any Error> {
    let (messages, continuation) = AsyncThrowingStream.makeStream(
      of: ServerLine.Message.self, bufferingPolicy: .bufferingNewest(1024))
    let sids = topics.map { _ in "follow-\(Link.newTag().dropFirst())" }
    await following.begin(sids, continuation)
    continuation.onTermination = { [link, following] _ in
      Task {
        await following.end(sids)
        for sid in sids { await link.sendIgnoringReply(.unsubscribe(sid: sid, after: nil)) }
      }
    }
    for (topic, sid) in zip(topics, sids) {
      _ = try await link.send(.subscribe(TopicFilter(topic.rawValue), sid: sid, qos: nil))
    }
    return messages
  }

  /// Closes the connection immediately, also if the gateway does not answer.
  package nonisolated func cut() { link.cut() }

  package func close() async {
    _ = try? await link.send(.bye)
    link.cut()
    _ = await link.over()
  }
}

/// A dispatcher that passes each message of the gateway to the stream of its subscription.
private actor Following {
  private var followers: [String: AsyncThrowingStream<ServerLine.Message, any Error>.Continuation] = [:]
  private var end: LinkError?

  func begin(_ sids: [String], _ follower: AsyncThrowingStream<ServerLine.Message, any Error>.Continuation) {
    if let end { return follower.finish(throwing: end) }
    for sid in sids { followers[sid] = follower }
  }

  func end(_ sids: [String]) { for sid in sids { followers[sid] = nil } }

  func dispatch(_ message: ServerLine.Message) { followers[message.sid]?.yield(message) }

  func finish(_ error: LinkError) {
    end = error
    for follower in followers.values { follower.finish(throwing: error) }
    followers = [:]
  }
}
