import Glibc
import LineFraming
import LineProtocol
package import NIOCore
import NIOSSL
import OperatingSystem
import Ports

/// Writes the waiting lines of a connection as fast as the socket accepts them. Closes the connection if its client
/// does not read.
///
/// The lines are written in chunks of several lines. The socket may have accepted only a part of the last chunk. The
/// gateway can still withdraw all lines that are not part of a written chunk. The handler works only if the channel has
/// the option `waterMarks`.
package final class BackpressureHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  /// The channel option that makes a channel unwritable while at least one byte waits for the socket.
  package static let waterMarks = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 1)
  /// The time after which the gateway closes the connection of a client that reads nothing.
  static let slowConsumer = TimeAmount.seconds(10)
  /// The time that a client has to read the final error before the gateway closes the connection.
  static let farewell = TimeAmount.milliseconds(500)

  private var context: ChannelHandlerContext?
  /// The queue of the connection; nil until the connection begins.
  private var state: SendState?
  /// The socket; nil if another handler translates the lines, so that this handler must not write to the socket
  /// directly.
  private var socket: (handle: NIOBSDSocket.Handle, channel: any Channel)?
  /// The kinds of fixes in the last written chunk, while the socket has not accepted the whole chunk. The set is empty
  /// if the socket has accepted the whole chunk.
  private var underWay: FixKinds = []
  private var isWritable = true
  private var isWriting = false
  /// Whether the handler has sent a final error and closes the connection. The handler sends no data after the error.
  private var isLeaving = false
  private var fullSince: NIODeadline?
  private var fullCheck: Scheduled<Void>?
  private var waiting: [EventLoopPromise<Void>] = []
  /// The output buffer of the serial port; nil for a socket.
  private var port: PortOutput?

  /// Whether no other handler translates the lines, so that this handler may write them to the socket directly.
  private let isPlain: Bool

  /// - Parameter port: The output buffer of the serial port; nil for a socket.
  package init(port: PortOutput? = nil) {
    self.port = port
    isPlain = true
  }

  /// Returns a handler for a connection on which another handler translates the lines.
  package static func translated() -> BackpressureHandler { BackpressureHandler(isPlain: false) }

  private init(isPlain: Bool) {
    port = nil
    self.isPlain = isPlain
  }

  package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  package func handlerRemoved(context: ChannelHandlerContext) { end() }

  package func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    isWritable = context.channel.isWritable && port?.pause == nil
    // If the handler is writing lines now, `proceed` must not be called again: its loop is still running and sends the
    // remaining lines too.
    if isWritable, !isWriting { proceed() }
  }

  package func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    // From now on another handler adds checksums to the lines, so this handler must write through the channel.
    if event is ChecksumsBegin { socket = nil }
    context.triggerUserOutboundEvent(event, promise: promise)
  }

  /// Writes waiting lines until the socket accepts no more, and then closes the connection.
  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    proceed()
    context.close(mode: mode, promise: promise)
  }

  // MARK: Output

  func join(_ state: SendState) {
    self.state = state
    guard isPlain, let context, case let operations = context.pipeline.syncOperations,
      (try? operations.handler(type: NIOSSLHandler.self)) == nil,
      let handle = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self, { $0 })
    else { return }
    socket = (handle, context.channel)
  }

  /// Writes waiting lines until the socket accepts no more data.
  func proceed() {
    guard let context, let state, !isLeaving else { return }
    guard state.begin() else { return leave(LineError(.slowConsumer, "the send queue is full")) }
    let longest = port == nil ? SendQueue.longestChunk : 0
    while isWritable, var chunk = state.next(atMost: longest, isVoid: Self.isVoid) {
      if !isTaken(&chunk.bytes) { write(chunk, context) }
    }
    noteFullness(context)
  }

  private func write(_ chunk: SendQueue.Chunk, _ context: ChannelHandlerContext) {
    isWriting = true
    underWay = chunk.fixes
    // The client has read the previous chunk. The timeout for a client that reads nothing starts again.
    if fullSince != nil { fullSince = context.eventLoop.now }
    context.writeAndFlush(wrapOutboundOut(chunk.bytes), promise: nil)
    isWriting = false
    if let pause = port?.noteWritten(chunk.bytes.readableBytes, chunk.fixes, at: context.eventLoop.now) {
      hold(for: pause, context)
    }
  }

  /// Pauses the output. A serial port's buffer accepts lines faster than the port transmits them. While lines wait in
  /// the queue instead of the buffer, newer lines can still replace them.
  private func hold(for pause: TimeAmount, _ context: ChannelHandlerContext) {
    isWritable = false
    let end = context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
      self.port?.pause = nil
      self.isWritable = context.channel.isWritable
      if self.isWritable { self.proceed() }
    }
    port?.pause = end
  }

  /// Writes bytes to the socket directly, which costs less time than a write through the channel. Bytes that the socket
  /// does not accept stay in `bytes`.
  ///
  /// With a fix to 1,000 subscribers at 10 Hz this takes 27 % less processor time than writes through the channel, which
  /// would miss the goal of the bench (`Scripts/bench fanout`).
  ///
  /// - Returns: Whether the socket accepted all bytes.
  private func isTaken(_ bytes: inout ByteBuffer) -> Bool {
    // After the channel has closed, its descriptor may belong to another file.
    guard let socket, socket.channel.isActive else { return false }
    let sent = unsafe bytes.withUnsafeReadableBytes {
      // The call is safe because pointer and count are those of the buffer.
      unsafe Glibc.send(socket.handle, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }
    // The handler ignores errors here: the channel detects them too, and closes.
    if sent > 0 { bytes.moveReaderIndex(forwardBy: sent) }
    return bytes.readableBytes == 0
  }

  /// Whether a line is a one-time fix that the gateway must not send, because the indicator no longer shows that the
  /// app receives this fix.
  private static func isVoid(_ line: OutgoingLine) -> Bool {
    guard case .once(_, let until) = line.rule else { return false }
    return until <= SystemClock.monotonic
  }

  /// Closes the connection if the socket has accepted only a part of a fix that the gateway withdraws. The handler
  /// cannot remove the remaining bytes of such a fix from the socket.
  func cutOff(_ kinds: FixKinds) {
    let isInPort = context.flatMap { port?.drop(kinds, at: $0.eventLoop.now) } ?? false
    if isInPort || !underWay.isDisjoint(with: kinds) { context?.close(promise: nil) }
  }

  // MARK: A client that does not read

  private func noteFullness(_ context: ChannelHandlerContext) {
    if isWritable {
      underWay = []
      guard fullSince != nil else { return }
      fullSince = nil
      fullCheck?.cancel()
      fullCheck = nil
      state?.isFull = false
      for promise in waiting { promise.succeed() }
      waiting = []
    } else {
      if fullSince == nil { fullSince = context.eventLoop.now }
      state?.isFull = true
      if fullCheck == nil { scheduleFullCheck(context, in: Self.slowConsumer) }
    }
  }

  private func scheduleFullCheck(_ context: ChannelHandlerContext, in time: TimeAmount) {
    fullCheck = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
      self.fullCheck = nil
      guard let since = self.fullSince else { return }
      let rest = since + Self.slowConsumer - context.eventLoop.now
      if rest > .zero {
        self.scheduleFullCheck(context, in: rest)
      } else {
        self.leave(LineError(.slowConsumer, "the client read nothing for 10 s"))
      }
    }
  }

  /// Completes the promise when the socket has accepted all lines, or when the connection has ended.
  func drain(_ promise: EventLoopPromise<Void>) {
    proceed()
    if context == nil || fullSince == nil { promise.succeed() } else { waiting.append(promise) }
  }

  /// Sends a final error and closes the connection. If the client does not read the error, the connection is closed
  /// after 0.5 s.
  func leave(_ error: LineError) {
    guard let context, !isLeaving else { return }
    isLeaving = true
    if error.code == .slowConsumer { Connection.slowConsumers.increment() }
    context.fireUserInboundEventTriggered(Dismissal())
    state?.end()
    let deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.farewell) { context.close(promise: nil) }
    let line = ServerLine.error(error, tag: nil, [:])
    context.writeAndFlush(wrapOutboundOut(line.bytes)).assumeIsolated().whenComplete { _ in
      deadline.cancel()
      context.close(promise: nil)
    }
  }

  private func end() {
    context = nil
    socket = nil
    fullCheck?.cancel()
    fullCheck = nil
    port?.pause?.cancel()
    state?.end()
    for promise in waiting { promise.succeed() }
    waiting = []
  }
}

/// The event that tells the other handlers of the channel that the gateway closes the connection. After this event, the
/// handlers process no more input.
package struct Dismissal: Sendable {}
