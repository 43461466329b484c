import Clocks
import GPSDProtocol
import LineProtocol
import Connections
import Ports
import NIOCore
import Synchronization
import OperatingSystem

/// What is between one client of gpsd and the gateway: the client's connection, and where both stand.
final class GPSDClientSession: Sendable {
  let connection: Connection
  /// What the gateway is to do, in its order.
  let orders: AsyncStream<GPSDEmulator.Order>
  private let ordering: AsyncStream<GPSDEmulator.Order>.Continuation
  private let emulator: Mutex<GPSDEmulator>

  init(_ emulator: GPSDEmulator, on connection: Connection) {
    self.connection = connection
    self.emulator = Mutex(emulator)
    (orders, ordering) = AsyncStream.makeStream()
  }

  func greet() { connection.send(foreign: emulator.withLock { $0.greeting } + "\n") }

  func handle(_ request: GPSDRequest) { answer { $0.handle(request, at: SystemClock.monotonic) } }

  func refuse(_ text: String) { answer { $0.refuse(text) } }

  /// A second is over.
  func tick() { answer(isBeat: true) { $0.tick(at: SystemClock.monotonic) } }

  /// What the client is told instead of a line of the gateway's; empty where it is told nothing.
  func translation(of line: ServerLine) -> String {
    change { emulator in
      let outcome = emulator.handle(line, at: SystemClock.monotonic)
      return (outcome.lines.map { $0 + TranslationHandler.lineEnd }.joined(), outcome.orders)
    }
  }

  /// Lets it tick as often as gpsd reports, whatever the receiver does.
  func beat(on eventLoop: any EventLoop) -> RepeatedTask {
    let pace = TimeAmount(GPSDEmulator.pace)
    return eventLoop.scheduleRepeatedTask(initialDelay: pace, delay: pace) { _ in
      if self.emulator.withLock({ $0.isPushed }) { self.tick() }
    }
  }

  /// `?POLL` may have to wait; not for ever.
  func tickAfterPoll(on eventLoop: any EventLoop) {
    eventLoop.scheduleTask(in: TimeAmount(GPSDEmulator.pollPatience) + .milliseconds(1)) { [weak self] in self?.tick() }
  }

  /// There are no more orders.
  func finish() { ordering.finish() }

  private func answer(isBeat: Bool = false, _ body: (inout GPSDEmulator) -> GPSDEmulator.Outcome) {
    change { emulator in
      let outcome = body(&emulator)
      // The client hears the answer before anything that the gateway makes of it.
      for line in outcome.lines { connection.send(foreign: line + "\n", isBeat: isBeat) }
      return ((), outcome.orders)
    }
  }

  private func change<Answer: Sendable>(_ body: (inout GPSDEmulator) -> (Answer, [GPSDEmulator.Order])) -> Answer {
    emulator.withLock { emulator in
      let (answer, orders) = body(&emulator)
      connection.isHeld = emulator.isHeld
      for order in orders { ordering.yield(order) }
      return answer
    }
  }
}

/// Turns the lines that the gateway says into gpsd's, where they leave the pipeline; a line of gpsd's own passes.
final class TranslationHandler: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// From now on it is known for whom.
  struct Begin: Sendable {
    let session: GPSDClientSession
  }

  /// As gpsd ends lines: its Python client takes no other.
  static let lineEnd = "\r\n"

  private var session: GPSDClientSession?

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard let event = event as? Begin else { return context.triggerUserOutboundEvent(event, promise: promise) }
    session = event.session
    promise?.succeed()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var lines = unwrapOutboundIn(data)
    var translated = context.channel.allocator.buffer(capacity: lines.readableBytes)
    while let end = lines.readableBytesView.firstIndex(of: UInt8(ascii: "\n")),
      let line = lines.readSlice(length: end - lines.readerIndex)
    {
      lines.moveReaderIndex(forwardBy: 1)
      if line.readableBytesView.first == UInt8(ascii: "{") {
        translated.writeImmutableBuffer(line)
        translated.writeString(Self.lineEnd)
      } else if let session, let said = ServerLine(parsing: line.readableBytesUInt8Span) {
        translated.writeString(session.translation(of: said))
      }
    }
    context.write(wrapOutboundOut(translated), promise: promise)
  }
}
