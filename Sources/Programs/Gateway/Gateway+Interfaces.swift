import Base
import Disclosure
package import LineProtocol
import Logging
import OperatingSystem
package import Ports
import StateStore

// The functions of the gateway that the servers and the bridges call.
extension Gateway: LineService {
  package nonisolated var name: String { dependencies.names.gateway }

  package nonisolated func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields {
    var fields: ServerLine.Fields = [
      "proto": "1", "server": "onefix/\(dependencies.names.version)", "id": dependencies.names.gateway,
      "maxline": "\(longestLine)",
      "maxsubs": "\(Subscriptions.most)",
    ]
    if dependencies.allowsRegions { fields["maxregions"] = "\(SealedRegions.most)" }
    fields["auth"] = methods
    fields["nonce"] = nonce
    fields["caps"] = dependencies.allowsRegions ? "qos1,retain,regions,crc" : "qos1,retain,crc"
    return fields
  }

  package nonisolated func hello(
    _ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection
  ) async -> Bool {
    guard let app = identity?.app else { return await admit(hello, tag, nil, connection) }
    await limiter.beginTurn(of: app)
    let isAdmitted = await admit(hello, tag, identity, connection)
    if isAdmitted { limiter.add(connection, of: app) }
    limiter.endTurn(of: app)
    return isAdmitted
  }

  private func admit(
    _ hello: Hello, _ tag: String?, _ identity: Identity?, _ connection: any ClientConnection
  ) -> Bool {
    submit { router, now in router.admit(hello, tag: tag, identity, connection, at: now) }
  }

  package nonisolated func perform(_ command: Command, tag: String?, on connection: any ClientConnection) async {
    guard let app = limiter.app(on: connection) else { return await execute(command, tag, connection) }
    let now = SystemClock.monotonic
    let isWithinLimit = limiter.consume(app, at: now)
    if isWithinLimit || command.isWithdrawal {
      await limiter.beginTurn(of: app)
      await execute(command, tag, connection)
      limiter.endTurn(of: app)
    } else {
      let error = LineError(.rateLimited, "the sessions of this app together send too many commands (wait a second)")
      connection.send(.error(error, tag: tag, ["retry-after": "1"]))
    }
    // The connection is not read during the pause, so that commands beyond the limit do not delay other clients.
    if !isWithinLimit { try? await SystemClock.sleep(until: now + CommandLimiter.pause) }
  }

  package nonisolated func polled(on connection: any ClientConnection) async {
    // If the app has exceeded its limit, the next epoch of the receiver sends the fix.
    guard let app = limiter.app(on: connection), limiter.consume(app, at: SystemClock.monotonic) else { return }
    await limiter.beginTurn(of: app)
    await servePending(on: connection)
    limiter.endTurn(of: app)
  }

  private func servePending(on connection: any ClientConnection) {
    submit { router, now in
      if let session = router.sessions.session(on: connection) {
        router.servePending(of: session.id, at: now)
      }
    }
  }

  package nonisolated func closed(_ connection: any ClientConnection, isFinal: Bool) async {
    guard let app = limiter.app(on: connection) else { return await close(connection, isFinal: isFinal) }
    await limiter.beginTurn(of: app)
    await close(connection, isFinal: isFinal)
    limiter.remove(connection)
    limiter.endTurn(of: app)
  }

  private func close(_ connection: any ClientConnection, isFinal: Bool) {
    submit { router, now in router.close(connection, isFinal: isFinal, at: now) }
  }

  private func execute(_ command: Command, _ tag: String?, _ connection: any ClientConnection) async {
    do {
      switch command {
      case .owner(.verify): try await LogReply(tag: tag, connection: connection).verify(self)
      case .owner(.log(let since, let app, let limit, let after)):
        try await LogReply(tag: tag, connection: connection).list(since, app, limit, after, of: self)
      case .owner(.press(let length, let button)):
        let end = try await press(button, for: length.map { .milliseconds($0) }, isHold: false)
        var reply = (end?.effect ?? LastPress()).reply
        // The time of the release on CLOCK_MONOTONIC. With this time, a test can measure the time to the fix.
        reply["released_ns"] = end?.release.map { "\($0.nanoseconds)" }
        connection.send(.ok(tag: tag, reply))
      case .owner(.hold(let button)):
        let effect = try await press(button, for: nil, isHold: true)?.effect ?? LastPress()
        if router.disclosures.log.isUnsaved, effect.outcome != .nothing { throw router.disclosures.log.unsavedError }
        connection.send(.ok(tag: tag, effect.reply))
      default:
        let list = try submit { router, now in try router.execute(command, tag: tag, on: connection, at: now) }
        try await list?.send(tag, on: connection, of: self)
      }
    } catch let error as LineError {
      connection.send(.error(error, tag: tag, [:]))
    } catch {
      loggers.log(LogMessage(.gateway, .error, "a command failed", ["cause": "\(error)"]))
      connection.send(
        .error(LineError(.internal, "the gateway could not perform the command (its log has the cause)"), tag: tag, [:])
      )
    }
  }
}

extension Gateway: OutputService {
  package func connected(
    _ connection: any ClientConnection, with version: MQTTVersion?, awaitingSubscriberFor timeout: Duration?
  ) {
    change { $0.connect(connection, with: version, awaitingSubscriberFor: timeout, at: $1.monotonic) }
  }

  package func failed(_ fault: OutputFault, detail: String?, on connection: any ClientConnection) {
    submit { router, _ in router.disclosures.outbox.noteFault(fault, detail: detail, of: connection) }
  }

  package func subscriberAppeared(on connection: any ClientConnection) {
    change { outbox, _ in outbox.noteSubscriber(of: connection) }
  }

  package func ready(_ connection: any ClientConnection) { change { outbox, _ in outbox.noteReady(connection) } }

  package func acknowledged(_ publication: Int64, on connection: any ClientConnection) {
    submit { router, now in
      router.endPassedRights(at: now)
      router.disclosures.settle(
        publication, .acknowledged, router.receiver.latest, under: router.authorization, at: now, &router.outputs)
    }
  }

  package func refused(_ publication: Int64, on connection: any ClientConnection) {
    submit { router, now in
      router.endPassedRights(at: now)
      router.disclosures.settle(
        publication, .refused, router.receiver.latest, under: router.authorization, at: now, &router.outputs)
    }
  }

  package func discarded(_ publication: Int64, on connection: any ClientConnection) {
    submit { router, now in
      let app = router.sessions.session(on: connection)?.app
      router.disclosures.outbox.noteDiscarded(on: connection, of: app, at: now.monotonic, &router.outputs)
      router.publish(at: now)
    }
  }

  package func undelivered(_ topics: [String], on connection: any ClientConnection) {
    submit { router, _ in router.disclosures.outbox.noteUndelivered(topics, of: connection) }
  }

  package func disconnected(_ connection: any ClientConnection) {
    change { $0.disconnect(connection, at: $1.monotonic) }
  }

  package func ignored(_ reason: String, count: Int, on connection: any ClientConnection) {
    submit { router, now in
      let app = router.sessions.session(on: connection)?.app
      for _ in 0..<count {
        router.disclosures.outbox.countIgnored(reason, of: connection)
        if let app { router.noteRefusal("ignored-\(reason)", of: app, at: now) }
      }
    }
  }

  /// Applies a change to the outbox (the queue of fixes for outputs), and sends the next waiting fix to each output.
  private func change(_ change: (inout Outbox, ClockReading) -> Void) {
    submit { router, now in
      change(&router.disclosures.outbox, now)
      router.publish(at: now)
    }
  }
}
