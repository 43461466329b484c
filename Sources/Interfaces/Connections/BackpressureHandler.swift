import Glibc
import LineFraming
import LineProtocol
package import NIOCore
import NIOSSL
import OperatingSystem
import Ports

/// Writes lines as fast as the socket accepts them, and closes connections whose client does not read.
///
/// At most one chunk is partly written; all other lines can be recalled. For that the channel needs `waterMarks`.
package final class BackpressureHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  /// With these a channel is not writable while a byte waits for the socket.
  package static let waterMarks = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 1)
  /// The time after which a client that reads nothing is closed.
  static let slowConsumer = TimeAmount.seconds(10)
  /// The time that a client has to read the error before it is closed.
  static let farewell = TimeAmount.milliseconds(500)

  private var context: ChannelHandlerContext?
  /// Nil until the connection begins.
  private var state: SendState?
  /// The socket, if no other handler changes the lines; otherwise nil.
  private var socket: (handle: NIOBSDSocket.Handle, channel: any Channel)?
  /// The fixes in the chunk that is partly written.
  private var underWay: FixKinds = []
  private var isWritable = true
  private var isWriting = false
  /// Whether the handler has sent a final error and closes the connection. No data follows the error.
  private var isLeaving = false
  private var fullSince: NIODeadline?
  private var fullCheck: Scheduled<Void>?
  private var waiting: [EventLoopPromise<Void>] = []
  /// Nil for a socket.
  private var port: PortOutput?

  /// Whether lines leave unchanged, so that they can be written to the socket directly.
  private let isPlain: Bool

  /// - Parameter port: the serial port; nil for a socket.
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
    // A write that is in progress continues by itself.
    if isWritable, !isWriting { proceed() }
  }

  package func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    // From now on another handler adds checksums.
    if event is ChecksumsBegin { socket = nil }
    context.triggerUserOutboundEvent(event, promise: promise)
  }

  /// Writes the lines that wait before the connection is closed.
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

  /// Writes the lines that wait, as far as the socket takes them.
  func proceed() {
    guard let context, let state, !isLeaving else { return }
    guard state.begin() else { return leave(LineError(.slowConsumer, "too much waits to be read")) }
    let longest = port == nil ? SendQueue.longestChunk : 0
    while isWritable, var chunk = state.next(atMost: longest, isVoid: Self.isVoid) {
      if !isTaken(&chunk.bytes) { write(chunk, context) }
    }
    noteFullness(context)
  }

  private func write(_ chunk: SendQueue.Chunk, _ context: ChannelHandlerContext) {
    isWriting = true
    underWay = chunk.fixes
    // The client has read the chunk before.
    if fullSince != nil { fullSince = context.eventLoop.now }
    context.writeAndFlush(wrapOutboundOut(chunk.bytes), promise: nil)
    isWriting = false
    if let pause = port?.noteWritten(chunk.bytes.readableBytes, chunk.fixes, at: context.eventLoop.now) {
      hold(for: pause, context)
    }
  }

  /// Pauses, since the port's buffer accepts more than its line carries: lines that wait can still be dropped for newer
  /// ones.
  private func hold(for pause: TimeAmount, _ context: ChannelHandlerContext) {
    isWritable = false
    let end = context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
      self.port?.pause = nil
      self.isWritable = context.channel.isWritable
      if self.isWritable { self.proceed() }
    }
    port?.pause = end
  }

  /// Writes bytes to the socket directly, which is cheaper than through the channel. The rest stays in `bytes`.
  /// - Returns: whether all bytes were written.
  private func isTaken(_ bytes: inout ByteBuffer) -> Bool {
    // The descriptor of a closed channel may belong to another file.
    guard let socket, socket.channel.isActive else { return false }
    let sent = unsafe bytes.withUnsafeReadableBytes {
      // The count is the buffer's own.
      unsafe Glibc.send(socket.handle, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }
    // The channel detects errors, and closes.
    if sent > 0 { bytes.moveReaderIndex(forwardBy: sent) }
    return bytes.readableBytes == 0
  }

  /// Whether a one-time fix must not leave because the indicator no longer shows it.
  private static func isVoid(_ line: OutgoingLine) -> Bool {
    guard case .once(_, let until) = line.rule else { return false }
    return until <= SystemClock.monotonic
  }

  /// Closes the connection if bytes of recalled fixes are under way: a fix that has left in part can only be cut off.
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
        self.leave(LineError(.slowConsumer, "nothing was read for 10 s"))
      }
    }
  }

  /// Completes the promise when all lines have left, or the connection has ended.
  func drain(_ promise: EventLoopPromise<Void>) {
    proceed()
    if context == nil || fullSince == nil { promise.succeed() } else { waiting.append(promise) }
  }

  /// Sends an error, if the client reads it in time, and closes.
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

/// The event that a handler closes the connection: no more input is processed.
package struct Dismissal: Sendable {}
