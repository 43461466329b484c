import LineProtocol
import NIOCore
import OperatingSystem
import Serving
import Synchronization

/// The session of one client of the gpsd server, or of one program that reads NMEA sentences. The session translates
/// between the client and the gateway.
final class GPSDClientSession: Sendable {
  let connection: Connection
  /// The stream of commands that the emulation of gpsd gives to the gateway for this client.
  let orders: AsyncStream<GPSDEmulator.Order>
  private let ordering: AsyncStream<GPSDEmulator.Order>.Continuation
  private let emulator: Mutex<GPSDEmulator>

  init(_ emulator: GPSDEmulator, on connection: Connection) {
    self.connection = connection
    self.emulator = Mutex(emulator)
    (orders, ordering) = AsyncStream.makeStream()
  }

  func begin() { answer { $0.begin(at: SystemClock.monotonic) } }

  func handle(_ request: GPSDRequest) { answer { $0.handle(request, at: SystemClock.monotonic) } }

  func refuse(_ text: String) { answer { $0.refuse(text) } }

  /// Sends the reports that are due now, and repeats a request if necessary. The caller calls this function once in
  /// each second.
  func tick() { answer { $0.tick(at: SystemClock.monotonic) } }

  /// Returns the translation of a line of the line protocol (OneFix's own protocol) for this client; empty if the
  /// client gets nothing.
  func translation(of line: ServerLine) -> String {
    change { emulator in
      let outcome = emulator.handle(line, at: SystemClock.monotonic)
      return (outcome.lines.map { $0 + TranslationHandler.lineEnd }.joined(), outcome.orders)
    }
  }

  /// Schedules a call of `tick()` in each second, because gpsd sends a report in each second.
  func beat(on eventLoop: any EventLoop) -> RepeatedTask {
    let interval = TimeAmount(GPSDEmulator.reportInterval)
    return eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in self.tick() }
  }

  /// Schedules a call of `tick()` after the maximum time of the command `?POLL`. If no fix has arrived, this call
  /// answers the command.
  func tickAfterPoll(on eventLoop: any EventLoop) {
    eventLoop.scheduleTask(in: TimeAmount(GPSDEmulator.pollTimeout) + .milliseconds(1)) { [weak self] in self?.tick() }
  }

  /// Waits until each `?POLL` has its answer. A client can close its sending side directly after this command.
  func finishPolls() async {
    guard let deadline = emulator.withLock({ $0.pollDeadline }) else { return }
    try? await SystemClock.sleep(until: deadline)
    tick()
    await connection.drain()
  }

  func finish() { ordering.finish() }

  private func answer(_ body: (inout GPSDEmulator) -> GPSDEmulator.Outcome) {
    change { emulator in
      let outcome = body(&emulator)
      // The answer enters the queue before the commands are executed, so it precedes the results of the commands.
      for line in outcome.lines { connection.send(foreign: line + "\n") }
      // The lines of a periodic report are one text, because the next text replaces a text that waits.
      if !outcome.beat.isEmpty {
        connection.send(foreign: outcome.beat.map { $0 + "\n" }.joined(), isBeat: true)
      }
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

/// A handler that translates the gateway's protocol lines for the client into reports of gpsd or NMEA sentences. Lines
/// that are already a report or a sentence pass unchanged.
final class TranslationHandler: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The line end for gpsd and NMEA clients. The Python client of gpsd accepts no other line end.
  static let lineEnd = "\r\n"

  /// The session that translates the lines; nil until the session arrives as an outbound event. Without a session, the
  /// lines are dropped.
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
