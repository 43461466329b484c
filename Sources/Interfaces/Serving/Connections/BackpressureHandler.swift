import Glibc
import LineProtocol
package import NIOCore
import OperatingSystem
import Ports
import TLS

/// The NIO handler that writes a connection's protocol lines as fast as the socket accepts the bytes. The handler
/// closes the connection of a client that does not read.
///
/// The handler writes several protocol lines at once, as a chunk. A line can be withdrawn until its chunk is written.
/// The channel's option `writeBufferWaterMark` must have the value `waterMarks`.
package final class BackpressureHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  /// The water marks of a channel. With these values, NIO reports the channel as not writable while any byte waits for
  /// the socket.
  package static let waterMarks = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 1)
  /// The time after which the gateway closes the connection of a client that reads nothing.
  static let slowConsumer = TimeAmount.seconds(10)
  /// The time that a client has to read the final error before the connection closes.
  static let farewell = TimeAmount.milliseconds(500)

  private var context: ChannelHandlerContext?
  private var state: SendState?
  /// The socket, for writes that bypass the NIO channel; nil if the channel must process the bytes first, for example
  /// for encryption.
  private var socket: (handle: NIOBSDSocket.Handle, channel: any Channel)?
  /// The kinds of fixes (one-time or continuous) in the chunk of protocol lines that the socket is accepting. The set
  /// is empty after the socket has accepted the whole chunk.
  private var underWay: FixKinds = []
  private var isWritable = true
  private var isWriting = false
  /// Whether the handler has sent a final error, after which no data follows.
  private var isLeaving = false
  private var fullSince: NIODeadline?
  private var fullCheck: Scheduled<Void>?
  private var waiting: [EventLoopPromise<Void>] = []
  /// Whether a caller of `drain` waits.
  var isAwaited: Bool { !waiting.isEmpty }
  private var port: PortOutput?

  /// Whether no other handler of the channel changes the bytes, so that the handler may write directly to the socket.
  private let isPlain: Bool

  package init(port: PortOutput? = nil) {
    self.port = port
    isPlain = true
  }

  /// Returns a handler for a channel in which another handler changes the bytes. Direct writes to the socket are then
  /// not possible.
  package static func translated() -> BackpressureHandler { BackpressureHandler(isPlain: false) }

  private init(isPlain: Bool) {
    port = nil
    self.isPlain = isPlain
  }

  package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  package func handlerRemoved(context: ChannelHandlerContext) { end() }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    isWritable = context.channel.isWritable && port?.pause == nil
    // If the handler is writing, `proceed` is still running, and its loop sends the remaining lines.
    if isWritable, !isWriting { proceed() }
  }

  package func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    // Another handler now adds checksums to the lines, so direct writes are no longer possible.
    if event is ChecksumsBegin { socket = nil }
    context.triggerUserOutboundEvent(event, promise: promise)
  }

  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    proceed()
    context.close(mode: mode, promise: promise)
  }

  // MARK: Output

  func join(_ state: SendState) {
    self.state = state
    guard isPlain, let context, case let operations = context.pipeline.syncOperations,
      (try? operations.handler(type: TLSHandler.self)) == nil,
      let handle = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self, { $0 })
    else { return }
    socket = (handle, context.channel)
  }

  /// Writes the waiting protocol lines until the socket accepts no more data. Closes the connection if the send queue
  /// had no room for an event.
  func proceed() {
    guard let context, let state else { return }
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
    // The client has read the previous chunk, so the timeout for a client that reads nothing starts again.
    if fullSince != nil { fullSince = context.eventLoop.now }
    context.writeAndFlush(wrapOutboundOut(chunk.bytes), promise: nil)
    isWriting = false
    if let pause = port?.noteWritten(chunk.bytes.readableBytes, chunk.fixes, at: context.eventLoop.now) {
      hold(for: pause, context)
    }
  }

  /// Pauses the output to a serial port. The buffer of the port accepts bytes faster than the port transmits bytes, and
  /// newer protocol lines cannot replace old lines in the buffer.
  private func hold(for pause: TimeAmount, _ context: ChannelHandlerContext) {
    isWritable = false
    let end = context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
      self.port?.pause = nil
      self.isWritable = context.channel.isWritable
      if self.isWritable { self.proceed() }
    }
    port?.pause = end
  }

  /// Writes bytes directly to the socket, and returns whether the socket accepted all bytes. The bytes that the socket
  /// did not accept stay in `bytes`. If direct writes are not possible, the function writes nothing.
  ///
  /// Writes through the channel would need 24 % more processor time for a fix to 1,000 subscribers at 10 Hz
  /// (`Scripts/bench fanout`).
  private func isTaken(_ bytes: inout ByteBuffer) -> Bool {
    // After the channel has closed, its file descriptor may belong to another file.
    guard let socket, socket.channel.isActive else { return false }
    let sent = unsafe bytes.withUnsafeReadableBytes {
      // SAFETY: pointer and count are those of the buffer.
      unsafe Glibc.send(socket.handle, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }
    // Errors are ignored here: the channel detects them too, and closes.
    bytes.moveReaderIndex(forwardBy: max(0, sent))
    return bytes.readableBytes == 0
  }

  /// Returns whether a protocol line contains a one-time fix that has expired. A one-time fix expires when the
  /// indicator (status LED) no longer shows that an app receives a fix.
  private static func isVoid(_ line: OutgoingLine) -> Bool {
    guard case .once(_, let until) = line.rule else { return false }
    return until <= SystemClock.monotonic
  }

  /// Stops the transmission of fixes of the given kinds (one-time or continuous). The function closes the connection if
  /// such a fix may be partly sent. On a serial port, the function also discards an output buffer that contains such a
  /// fix.
  func cutOff(_ kinds: FixKinds) {
    let isInPort = context.flatMap { port?.drop(kinds, at: $0.eventLoop.now) } ?? false
    guard let context, isInPort || !underWay.isDisjoint(with: kinds) else { return }
    // TLS would end the connection with a message, behind the rest of the fix.
    context.triggerUserOutboundEvent(TLSHandler.Abort(), promise: nil)
    context.close(promise: nil)
  }

  // MARK: A client that does not read

  private func noteFullness(_ context: ChannelHandlerContext) {
    if isWritable {
      underWay = []
      guard fullSince != nil else { return }
      fullSince = nil
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

  /// Completes the promise when the socket has accepted all protocol lines of the send queue, or when the connection
  /// has ended.
  func drain(_ promise: EventLoopPromise<Void>) {
    proceed()
    if context == nil || fullSince == nil { promise.succeed() } else { waiting.append(promise) }
  }

  /// Sends a final error, and then closes the connection. If the client does not read the error, the connection closes
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

/// A NIO event that tells the handlers of a channel to ignore further input, because the gateway is closing the
/// connection.
package struct Dismissal: Sendable {}
