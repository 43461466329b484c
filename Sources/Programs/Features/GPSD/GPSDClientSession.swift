import Base
import GPSDProtocol
import LineProtocol
import NIOCore
import OperatingSystem
import Ports
import Serving
import Synchronization

/// The session of one client of gpsd or of one reader of NMEA sentences: its connection and its emulation.
final class GPSDClientSession: Sendable {
  let connection: Connection
  /// Yields the commands that the emulator gives to the gateway.
  let orders: AsyncStream<GPSDEmulator.Order>
  private let ordering: AsyncStream<GPSDEmulator.Order>.Continuation
  private let emulator: Mutex<GPSDEmulator>

  init(_ emulator: GPSDEmulator, on connection: Connection) {
    self.connection = connection
    self.emulator = Mutex(emulator)
    (orders, ordering) = AsyncStream.makeStream()
  }

  /// Sends the greeting of gpsd.
  func begin() { answer { $0.begin(at: SystemClock.monotonic) } }

  func handle(_ request: GPSDRequest) { answer { $0.handle(request, at: SystemClock.monotonic) } }

  func refuse(_ text: String) { answer { $0.refuse(text) } }

  /// Sends a report or repeats a request, if one is due. The function must be called each second.
  func tick() { answer(isBeat: true) { $0.tick(at: SystemClock.monotonic) } }

  /// Returns the text that the client receives in place of a protocol line of the gateway; empty for no text.
  func translation(of line: ServerLine) -> String {
    change { emulator in
      let outcome = emulator.handle(line, at: SystemClock.monotonic)
      return (outcome.lines.map { $0 + TranslationHandler.lineEnd }.joined(), outcome.orders)
    }
  }

  /// Schedules a report for each second, as gpsd does.
  func beat(on eventLoop: any EventLoop) -> RepeatedTask {
    let pace = TimeAmount(GPSDEmulator.pace)
    return eventLoop.scheduleRepeatedTask(initialDelay: pace, delay: pace) { _ in self.tick() }
  }

  /// Schedules an answer to `?POLL`. The answer is sent if no fix arrives in time.
  func tickAfterPoll(on eventLoop: any EventLoop) {
    eventLoop.scheduleTask(in: TimeAmount(GPSDEmulator.pollTimeout) + .milliseconds(1)) { [weak self] in self?.tick() }
  }

  func finish() { ordering.finish() }

  private func answer(isBeat: Bool = false, _ body: (inout GPSDEmulator) -> GPSDEmulator.Outcome) {
    change { emulator in
      let outcome = body(&emulator)
      // The answer enters the queue before the commands are executed, so it precedes the results of the commands.
      for line in outcome.lines { connection.send(foreign: line + "\n", isBeat: isBeat) }
      return ((), outcome.orders)
    }
  }

  private func change<Answer: Sendable>(_ body: (inout GPSDEmulator) -> (Answer, [GPSDEmulator.Order])) -> Answer {
    emulator.withLock { emulator in
      let (answer, orders) = body(&emulator)
      connection.isHeld = emulator.isHeld
      connection.isPolled = emulator.isPolled
      for order in orders { ordering.yield(order) }
      return answer
    }
  }
}

/// Translates the protocol lines of the gateway into reports of gpsd's protocol or into NMEA sentences. The handler
/// does not change a report or a sentence.
final class TranslationHandler: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The line end of gpsd and of NMEA. gpsd's Python client accepts no other line end.
  static let lineEnd = "\r\n"

  /// The session of the client; nil until the handler receives the session as an outbound event. From then on, the
  /// handler translates protocol lines.
  private var session: GPSDClientSession?

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard let session = event as? GPSDClientSession else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    self.session = session
    promise?.succeed()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var lines = unwrapOutboundIn(data)
    var translated = context.channel.allocator.buffer(capacity: lines.readableBytes)
    while let end = lines.readableBytesView.firstIndex(of: UInt8(ascii: "\n")),
      let line = lines.readSlice(length: end - lines.readerIndex)
    {
      lines.moveReaderIndex(forwardBy: 1)
      if let first = line.readableBytesView.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "$") {
        translated.writeImmutableBuffer(line)
        translated.writeString(Self.lineEnd)
      } else if let session, let said = ServerLine(parsing: line.readableBytesUInt8Span) {
        translated.writeString(session.translation(of: said))
      }
    }
    context.write(wrapOutboundOut(translated), promise: promise)
  }
}
