import NIOCore
import NIOPosix
import Ports

/// A client that stores every line that it receives.
actor Talker {
  private let channel: any Channel
  private var reader: Task<Void, Never>?
  private(set) var received: [String] = []
  /// The number of lines that were read.
  private var position = 0
  private var isOver = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  private init(_ channel: any Channel) { self.channel = channel }

  /// Connects, reads INFO and sends HELLO.
  static func connect(_ path: String, _ hello: String) async throws -> Talker {
    let talker = try await meet(path)
    _ = try await talker.reply(to: hello)
    return talker
  }

  /// Connects and reads INFO.
  static func meet(_ path: String) async throws -> Talker {
    let lines: NIOAsyncChannel<ReceivedLine, ByteBuffer> =
      try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(unixDomainSocketPath: path) {
        channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineDecoder(longest: 65_536)))
          return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }
      }
    let talker = Talker(lines.channel)
    await talker.read(lines)
    _ = try await talker.next { $0.hasPrefix("INFO") }
    return talker
  }

  private func read(_ lines: NIOAsyncChannel<ReceivedLine, ByteBuffer>) {
    reader = Task {
      try? await lines.executeThenClose { inbound, _ in
        for try await case .text(let line) in inbound { receive(String(buffer: line)) }
      }
      receive(nil)
    }
  }

  private func receive(_ line: String?) {
    if let line { received.append(line) } else { isOver = true }
    wake()
  }

  struct HungUp: Error { var received: [String] }

  /// Returns the next line that satisfies the condition, and skips the lines before it.
  func next(_ isMeant: @Sendable (String) -> Bool) async throws -> String {
    while true {
      if let index = received[position...].firstIndex(where: isMeant) {
        position = index + 1
        return received[index]
      }
      try await more()
    }
  }

  /// Waits until all received lines satisfy the condition, including lines that were already read.
  func until(_ isMeant: @Sendable ([String]) -> Bool) async throws {
    while !isMeant(received) { try await more() }
  }

  /// Waits for another line, or until the time limit of the test.
  private func more() async throws {
    if isOver { throw HungUp(received: received) }
    try Task.checkCancellation()
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting.append($0) }
    } onCancel: {
      Task { await self.wake() }
    }
  }

  private func wake() {
    for waiter in waiting { waiter.resume() }
    waiting = []
  }

  func next(_ beginning: String) async throws -> String { try await next { $0.hasPrefix(beginning) } }

  /// Sends a line and returns its reply.
  @discardableResult
  func reply(to line: String) async throws -> String {
    channel.writeAndFlush(ByteBuffer(string: line + "\n"), promise: nil)
    return try await next { $0.hasPrefix("+OK") || $0.hasPrefix("-ERR") || $0.hasPrefix("PONG") }
  }

  /// Sends a line and returns the messages of its reply.
  func list(_ line: String) async throws -> [String] {
    let start = received.count
    try await reply(to: line)
    // A message of a subscription has the identifier of the subscription in place of the dash.
    return received[start..<position].filter { $0.wholeMatch(of: /MSG [^ ]+ - .*/) != nil }
  }

  /// Sends text without waiting for a reply.
  func send(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }

  /// Returns when the gateway has closed the connection.
  func hungUp() async throws {
    do {
      while true { try await more() }
    } catch is HungUp {}
  }

  /// Closes the connection without BYE, if the gateway has not closed it.
  func hangUp() async throws {
    do { try await channel.close().get() } catch ChannelError.alreadyClosed {}
  }

  /// Closes the connection after the text was sent.
  func hangUp(after text: String) async throws {
    try await channel.writeAndFlush(ByteBuffer(string: text)).get()
    try await hangUp()
  }

  /// The token to resume the session.
  var token: String {
    get throws {
      for line in received {
        if let token = line.firstMatch(of: #/^\+OK proto=1 session=([0-9a-f]{32}) /#)?.1 { return String(token) }
      }
      throw Missing()
    }
  }

  /// Returns the received lines with the prefix.
  func received(_ beginning: String) -> [String] { received.filter { $0.hasPrefix(beginning) } }
}
