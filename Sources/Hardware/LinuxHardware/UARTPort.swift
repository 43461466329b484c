package import Base
import Glibc
package import Hardware
package import NIOCore
import NIOPosix
import OperatingSystem
import Ports
import Synchronization

/// A receiver on a serial port or a pseudo-terminal: `uart:PATH[:BAUD]` in the configuration. Without a configured
/// speed, the port searches for the speed of the receiver.
///
/// Some receivers sleep until a command arrives. So the port sends wake-up commands until the first byte arrives: at
/// each speed of the search, or at the configured speed after some seconds.
///
/// The open port is locked against other programs, and has 8 data bits, no parity, 1 stop bit and no flow control.
package final class UARTPort: CommandPort {
  package let path: String
  package var isLive: Bool { true }

  private struct State {
    var speed: Int
    var isSpeedKnown: Bool
    var device: SerialDevice?
    /// Whether the receiver at the open port is itself a USB device; nil while the port is closed.
    var isUSB: Bool?
    var output: OutgoingBytes?
    var hasReceived = false
    var wakeUps = 0
  }

  private let searchesSpeed: Bool
  private let requiresChecksum: Bool
  private let state: Mutex<State>
  private let wakeUp: [UInt8]
  private let group: any EventLoopGroup

  /// Creates a port, which `run` opens.
  /// - Parameters:
  ///   - path: the path of the device in `/dev`.
  ///   - speed: the speed in bits per second, one of `SerialSpeed.all`; nil to search for the speed of the receiver.
  ///   - requiresChecksum: whether the search ignores NMEA sentences without a checksum.
  ///   - wakeUp: the bytes of the wake-up commands, which end the sleep mode of a receiver; empty for none.
  ///   - group: the event loops of which the port uses one.
  /// - Throws: `HardwareError` if the speed is not supported.
  package init(
    path: String, speed: Int? = nil, requiresChecksum: Bool = true, wakeUp: [UInt8] = [],
    group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup
  ) throws(HardwareError) {
    self.wakeUp = wakeUp
    searchesSpeed = speed == nil
    self.requiresChecksum = requiresChecksum
    let speed = speed ?? SerialSpeed.likeliestFirst[0]
    guard SerialSpeed.all.contains(speed) else { throw UARTPort.refusal(of: "\(speed)", path: path) }
    self.path = path
    self.state = Mutex(State(speed: speed, isSpeedKnown: !searchesSpeed))
    self.group = group
  }

  package var name: String { searchesSpeed ? "uart:\(path)" : "uart:\(path):\(speed)" }

  /// The present speed of the port in bits per second.
  package var speed: Int { state.withLock { $0.speed } }

  package var wakeUps: Int { state.withLock { $0.hasReceived ? 0 : $0.wakeUps } }

  package var isSpeedKnown: Bool { state.withLock { $0.isSpeedKnown } }

  /// The capacity of the serial port in bytes per second; nil if the speed is unknown, or if the receiver is a USB
  /// device. Each byte takes ten bits.
  package var lineCapacity: Int? {
    let (isUSB, speed) = state.withLock { ($0.isUSB, $0.isSpeedKnown ? $0.speed : nil) }
    return isUSB ?? self.isUSB ? nil : speed.map { $0 / 10 }
  }

  /// Whether the receiver itself is a USB device, for which a speed has no meaning. Linux gives such a receiver a name
  /// with `ttyACM`. A USB adapter for a serial port has a name with `ttyUSB`.
  package var isUSB: Bool {
    DeviceNode(path).map { UARTPort.isUSB(device: $0.device) } ?? false
  }

  static func isUSB(device: String) -> Bool { device.hasPrefix("/dev/ttyACM") }

  package func send(_ bytes: [UInt8]) throws {
    // The lock keeps the bytes of concurrent callers in the order of their calls.
    try state.withLock { state in
      guard let output = state.output else {
        throw HardwareError(.failed, "write", path, cause: "the port is not open")
      }
      guard output.send(bytes) else {
        throw HardwareError(
          .failed, "write", path, cause: "the output queue is full", remedy: "is the receiver still connected?")
      }
    }
  }

  package func respond() async {
    guard let output = state.withLock({ $0.output }) else { return }
    // The wait fails only if the event loop has shut down. Then there is no reader to check.
    try? await output.waitForLoop()
  }

  package func run(
    opened: @Sendable () async -> Void,
    _ receive: @escaping @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void
  ) async throws {
    let isUSB = isUSB
    let device = try state.withLock { state in
      guard state.device == nil else {
        throw HardwareError(.busy, "open", path, cause: "this program has already opened it")
      }
      // After a reconnection, the receiver most likely still uses the speed found before.
      if searchesSpeed, !state.isSpeedKnown { state.speed = SerialSpeed.likeliestFirst[0] }
      let device: SerialDevice
      do throws(HardwareError) { device = try SerialDevice(path: path, speed: state.speed) } catch {
        // The device may now be another UART, which may not support the speed found before.
        if error.kind == .unsuitable { state.isSpeedKnown = !searchesSpeed }
        throw error
      }
      (state.device, state.isUSB) = (device, isUSB)
      state.isSpeedKnown = !searchesSpeed
      (state.hasReceived, state.wakeUps) = (false, 0)
      return device
    }
    defer {
      device.release()
      state.withLock { state in
        (state.device, state.isUSB) = (nil, nil)
        state.output = nil
      }
    }
    let (channel, ended) = try await device.channel(on: group) { channel in
      let ended = channel.eventLoop.makePromise(of: Void.self)
      let reader = UARTReader(device, self, receive, ended)
      try channel.pipeline.syncOperations.addHandler(reader)
      // The channel reads no bytes before the caller knows that the port is open.
      try channel.syncOptions?.setOption(.autoRead, value: false)
      return (channel, ended.futureResult)
    }
    state.withLock { $0.output = OutgoingBytes(channel) }
    await opened()
    try await read(channel, until: ended)
  }

  /// Reads the input of the port until the port fails, or until the task is cancelled.
  private func read(_ channel: any Channel, until ended: EventLoopFuture<Void>) async throws {
    var cause = "the other end hung up"
    do {
      try await withTaskCancellationHandler {
        channel.triggerUserOutboundEvent(UARTReader.Beginning(), promise: nil)
        try await channel.setOption(.autoRead, value: true).get()
        try await ended.get()
      } onCancel: {
        channel.close(promise: nil)
      }
    } catch let error as IOError where error.errnoCode != EIO {
      cause = systemErrorText(error.errnoCode)
    } catch {
      // A closed channel and the error `EIO` both mean that the input has ended.
    }
    try? await channel.closeFuture.get()
    if Task.isCancelled { return }
    throw HardwareError(.absent, "read", path, cause: cause, remedy: "is the receiver still connected?")
  }

  // MARK: The reader on the event loop

  /// Returns a new search for the receiver's speed; nil if a speed is configured.
  fileprivate func newSearch() -> BaudSearch? {
    searchesSpeed ? BaudSearch(from: speed, requiresChecksum: requiresChecksum, at: SystemClock.monotonic) : nil
  }

  fileprivate func noteBytes() { state.withLock { $0.hasReceived = true } }

  /// Records the speed of the port, and whether the receiver certainly sends at this speed.
  fileprivate func note(speed: Int, isKnown: Bool) {
    state.withLock { ($0.speed, $0.isSpeedKnown) = (speed, isKnown) }
  }

  /// Sends the commands that end the sleep mode of the receiver, unless a byte has arrived since the port was opened.
  fileprivate func wake() {
    state.withLock { state in
      guard !wakeUp.isEmpty, !state.hasReceived, let output = state.output, output.send(wakeUp) else { return }
      state.wakeUps += 1
    }
  }

  private static func refusal(of speed: String, path: String) -> HardwareError {
    HardwareError(
      .unsuitable, "configure", path, cause: "\(speed) baud is not a supported speed",
      remedy: "use one of " + SerialSpeed.all.map(String.init).joined(separator: ", "))
  }
}

extension SerialDevice {
  /// Changes the speed of the device, and discards unread input, because the input came at the previous speed.
  fileprivate func change(to speed: Int) throws(HardwareError) {
    try configure(speed: speed)
    flushInput()
  }
}

/// A channel handler that reads the bytes of a serial port, and searches for the receiver's speed if no speed is
/// configured.
private final class UARTReader: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer

  /// An event that begins the search for the speed, or the wait for the first byte.
  struct Beginning {}

  /// The times without a received byte after which the port sends commands against the sleep mode of the receiver.
  /// `first` is the time to the first command, and `next` is the interval of the repetitions.
  private static let wakeUpTimes: (first: TimeAmount, next: TimeAmount) = (.seconds(3), .seconds(10))

  /// The search for the receiver's speed; nil if a speed is configured, or before `Beginning`.
  private var search: BaudSearch?
  private let device: SerialDevice
  private let port: UARTPort
  private let receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void
  /// The promise that succeeds at the end of the input, or fails with the error that ended the input.
  private let ended: EventLoopPromise<Void>
  private var hasReceived = false
  /// The chunks of bytes that arrived before the search confirmed the speed, with their arrival times.
  private var pending: [(bytes: [UInt8], arrived: MonotonicInstant)] = []
  /// The timer for the next step: a further wake-up command, or a step of the search for the speed.
  private var timer: RepeatedTask?

  init(
    _ device: SerialDevice, _ port: UARTPort,
    _ receive: @escaping @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void,
    _ ended: EventLoopPromise<Void>
  ) {
    (self.device, self.port, self.receive, self.ended) = (device, port, receive, ended)
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard event is Beginning else { return context.triggerUserOutboundEvent(event, promise: promise) }
    promise?.succeed()
    search = port.newSearch()
    if search == nil {
      timer = start(context, first: Self.wakeUpTimes.first, next: Self.wakeUpTimes.next) { reader, _ in
        reader.port.wake()
      }
    } else {
      startSearching(context)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    ended.succeed()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    ended.fail(error)
    context.close(promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let arrived = SystemClock.monotonic
    let bytes = [UInt8](unwrapInboundIn(data).readableBytesView)
    guard !bytes.isEmpty else { return }
    if !hasReceived {
      hasReceived = true
      port.noteBytes()
      if search == nil { stopTimer() }
    }
    if search == nil { receive(bytes, arrived) } else { search(bytes, arrived, context) }
  }

  /// Passes received bytes to the search for the speed. Without received bytes, the call only passes the present time.
  private func search(_ bytes: [UInt8], _ arrived: MonotonicInstant, _ context: ChannelHandlerContext) {
    guard let step = search?.update(with: bytes, at: arrived) else { return }
    switch step {
    case .wait:
      pending.append((bytes, arrived))
      if timer == nil { startSearching(context) }
    case .confirmed:
      stopTimer()
      if !port.isSpeedKnown { port.note(speed: port.speed, isKnown: true) }
      for chunk in pending + [(bytes, arrived)] where !chunk.bytes.isEmpty { receive(chunk.bytes, chunk.arrived) }
      pending = []
    case .change(let speed):
      pending = []
      do throws(HardwareError) {
        try device.change(to: speed)
        port.note(speed: speed, isKnown: false)
      } catch {
        // Many UARTs of type 16550 support at most 115,200 bit/s. The port keeps its previous speed, and the search
        // continues with the next one.
        guard error.kind == .unsuitable else { return errorCaught(context: context, error: error) }
        port.note(speed: port.speed, isKnown: false)
      }
      port.wake()
      if timer == nil { startSearching(context) }
    }
  }

  /// Starts the timer that continues the search for the speed while no bytes arrive.
  private func startSearching(_ context: ChannelHandlerContext) {
    let pause = TimeAmount.milliseconds(50)
    timer = start(context, first: pause, next: pause) { $0.search([], SystemClock.monotonic, $1) }
  }

  private func stopTimer() {
    timer?.cancel()
    timer = nil
  }

  private func start(
    _ context: ChannelHandlerContext, first: TimeAmount, next: TimeAmount,
    _ tick: @escaping @Sendable (UARTReader, ChannelHandlerContext) -> Void
  ) -> RepeatedTask {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    return context.eventLoop.scheduleRepeatedTask(initialDelay: first, delay: next) { _ in
      tick(bound.value.0, bound.value.1)
    }
  }
}
