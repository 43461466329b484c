import Ports
import Glibc
import LineProtocol
package import NIOCore
import NIOSSL
import OperatingSystem

/// Writes the waiting protocol lines of a connection as fast as the socket accepts the bytes. Closes the connection if
/// its client does not read.
///
/// The handler writes several lines at once, as a chunk. The gateway can withdraw a line only until the handler writes
/// the chunk. The channel's option `writeBufferWaterMark` must have the value `waterMarks`.
package final class BackpressureHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  /// The water marks with which NIO reports a channel as not writable while at least one byte waits for the socket.
  package static let waterMarks = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 1)
  /// The time without progress after which the gateway closes the connection of a client that does not read.
  static let slowConsumer = TimeAmount.seconds(10)
  /// The time that a client has to read the final error before the connection closes.
  static let farewell = TimeAmount.milliseconds(500)

  private var context: ChannelHandlerContext?
  private var state: SendState?
  /// The socket, for writes that bypass the channel; nil if the channel must process the bytes first, for example to
  /// encrypt the bytes.
  private var socket: (handle: NIOBSDSocket.Handle, channel: any Channel)?
  /// The kinds of fixes in the latest written chunk of lines; empty after the socket has accepted the whole chunk.
  private var underWay: FixKinds = []
  private var isWritable = true
  private var isWriting = false
  /// Whether the handler has sent a final error, after which no data follows.
  private var isLeaving = false
  private var fullSince: NIODeadline?
  private var fullCheck: Scheduled<Void>?
  private var waiting: [EventLoopPromise<Void>] = []
  private var port: PortOutput?

  /// Whether the handler may write directly to the socket, because no other handler changes the bytes.
  private let isPlain: Bool

  package init(port: PortOutput? = nil) {
    self.port = port
    isPlain = true
  }

  /// Returns a handler for a channel with a further handler that changes the bytes, so that direct writes to the socket
  /// are not possible.
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
      (try? operations.handler(type: NIOSSLHandler.self)) == nil,
      let handle = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self, { $0 })
    else { return }
    socket = (handle, context.channel)
  }

  /// Writes the waiting lines until the socket accepts no more data.
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
    // The client has read the previous chunk, so the timeout for a client that reads nothing starts again.
    if fullSince != nil { fullSince = context.eventLoop.now }
    context.writeAndFlush(wrapOutboundOut(chunk.bytes), promise: nil)
    isWriting = false
    if let pause = port?.noteWritten(chunk.bytes.readableBytes, chunk.fixes, at: context.eventLoop.now) {
      hold(for: pause, context)
    }
  }

  /// Pauses the output to a serial port, whose buffer accepts bytes faster than the port transmits them. Newer lines
  /// can replace old lines in the queue, but not in this buffer.
  private func hold(for pause: TimeAmount, _ context: ChannelHandlerContext) {
    isWritable = false
    let end = context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
      self.port?.pause = nil
      self.isWritable = context.channel.isWritable
      if self.isWritable { self.proceed() }
    }
    port?.pause = end
  }

  /// Writes bytes directly to the socket, and returns whether the socket accepted all bytes. The rest stays in `bytes`.
  /// If direct writes are not possible, the function returns false and writes nothing.
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
    if sent > 0 { bytes.moveReaderIndex(forwardBy: sent) }
    return bytes.readableBytes == 0
  }

  /// Whether a line contains a one-time fix that has expired. A one-time fix expires when the indicator (LED) no longer
  /// shows that an app receives a fix.
  private static func isVoid(_ line: OutgoingLine) -> Bool {
    guard case .once(_, let until) = line.rule else { return false }
    return until <= SystemClock.monotonic
  }

  /// Closes the connection if a withdrawn fix of these kinds may already be partly sent. Also removes such a fix from
  /// the output buffer of a serial port.
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

  /// Completes the promise when the socket has accepted all lines of the send queue, or when the connection has ended.
  func drain(_ promise: EventLoopPromise<Void>) {
    proceed()
    if context == nil || fullSince == nil { promise.succeed() } else { waiting.append(promise) }
  }

  /// Sends a final error and closes the connection. If the client does not read the error, the connection closes after
  /// 0.5 s.
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

/// The event that tells the other handlers of a channel to ignore further input, because the gateway is closing the
/// connection.
package struct Dismissal: Sendable {}
