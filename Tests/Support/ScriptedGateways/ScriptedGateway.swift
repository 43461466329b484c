import Glibc
import NIOCore
import NIOPosix
package import OneFixClient
import Synchronization

/// The gateway's end of a connection.
package struct GatewayConnection {
  /// The error if the client has disconnected.
  package struct Gone: Error {}
  /// The error with which a script closes the connection.
  package struct Dropped: Error {}

  private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  private var heard: [UInt8] = []
  /// Called before each sent or received line. If the result is false, the connection closes.
  package var step: @Sendable () -> Bool = { true }
  /// Whether the connection closes in the middle of a line.
  package var isCutInLine = false

  init(
    _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) {
    self.inbound = inbound.makeAsyncIterator()
    self.outbound = outbound
  }

  package func send(_ line: String) async throws {
    guard step() else {
      if isCutInLine { try await outbound.write(ByteBuffer(string: String(line.prefix(line.count / 2)))) }
      throw Dropped()
    }
    try await outbound.write(ByteBuffer(string: line + "\n"))
  }

  /// Sends bytes without a line end.
  package func send(raw: String) async throws { try await outbound.write(ByteBuffer(string: raw)) }

  /// Returns the next line.
  package mutating func receive() async throws -> String {
    guard step() else { throw Dropped() }
    while true {
      if let end = heard.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: heard[..<end], as: UTF8.self)
        heard.removeFirst(end + 1)
        return line
      }
      guard let more = try await inbound.next(isolation: #isolation) else { throw Gone() }
      heard += more.readableBytesView
    }
  }

  /// Returns the words and the tag of the next command, and its line. Pings are answered and left out.
  package mutating func command() async throws -> (words: [String], tag: String, line: String) {
    while true {
      let line = try await receive()
      var words = line.split(separator: " ").map(String.init)
      if words.first == "PING" {
        try await send("PONG")
        continue
      }
      let tag = words.first?.hasPrefix("@") == true ? words.removeFirst() : ""
      return (words, tag, line)
    }
  }

  /// Accepts a request for one fix. Returns its tag.
  @discardableResult
  package mutating func accept() async throws -> String {
    let (_, tag, _) = try await command()
    try await send("+OK \(tag) state=awaiting-press")
    return tag
  }

  /// Answers every command with OK, until the client disconnects.
  package mutating func agree(_ heard: Recorder<String>? = nil) async throws {
    while true {
      let (words, tag, _) = try await command()
      heard?.record(words.joined(separator: " "))
      try await send("+OK \(tag)")
    }
  }

  /// Plays the beginning of a session, up to the subscription to presses.
  package mutating func greet(session: String = "s1", id: String = "scripted") async throws {
    try await send("INFO proto=1 server=scripted id=\(id) maxline=4096")
    while true {
      let (words, tag, _) = try await command()
      switch words[0] {
      case "HELLO":
        try await send("+OK \(tag) proto=1 session=\(session) authorization=notDetermined accuracy=full")
      case "UNSUB": try await send("-ERR 405 bad-argument \(tag) :there is no subscription")
      default: return try await send("+OK \(tag)")
      }
    }
  }
}

/// A gateway that plays the script of a test. It stops when the test releases it.
package final class ScriptedGateway: Sendable {
  private let task: Task<Void, any Error>

  /// - Parameters:
  ///   - path: The path of the socket.
  ///   - play: Plays the script on a connection with the given number, from 0. An error closes the connection.
  package init(
    _ path: String,
    _ play: @escaping @Sendable (inout GatewayConnection, _ number: Int) async throws -> Void
  ) async throws {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    task = Task {
      try await withThrowingDiscardingTaskGroup { group in
        try await server.executeThenClose { connections in
          var number = 0
          for try await connection in connections {
            group.addTask { [number] in
              try? await connection.executeThenClose { inbound, outbound in
                var connection = GatewayConnection(inbound, outbound)
                try await play(&connection, number)
              }
            }
            number += 1
          }
        }
      }
    }
  }

  deinit { task.cancel() }

  /// Stops the gateway, and returns when its port is free.
  package func stop() async {
    task.cancel()
    _ = await task.result
  }
}

/// The path of a socket, whose file is removed at the end.
package final class TemporarySocket: Sendable {
  package let path = "/tmp/onefix-client-\(UInt64.random(in: .min ... .max))"

  package init() {}

  deinit { _ = unsafe unlink(path) }

  package var endpoint: OneFixClient.Endpoint { .unix(path) }
}

/// Values that a script passes to its test, or a test to its script.
package final class Recorder<Value: Sendable>: Sendable {
  private let state = Mutex<(values: [Value], waiting: [CheckedContinuation<Void, Never>])>(([], []))

  package init() {}

  package var values: [Value] { state.withLock { $0.values } }

  package func record(_ value: Value) {
    let waiting = state.withLock { state in
      state.values.append(value)
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Waits until there are at least as many values.
  @discardableResult
  package func first(_ count: Int) async -> [Value] {
    while true {
      let values = values
      if values.count >= count { return values }
      await withCheckedContinuation { waiter in
        let isLate = state.withLock { state in
          if state.values.count > values.count { return true }
          state.waiting.append(waiter)
          return false
        }
        if isLate { waiter.resume() }
      }
    }
  }
}
