package import Clocks
import Glibc
package import Hardware
package import NIOCore
import NIOPosix
import SerialPorts
import OperatingSystem
import Synchronization

/// A receiver on a serial port or a pseudo-terminal: `uart:PATH[:BAUD]`. Without a given speed, the port searches for
/// the receiver's speed.
///
/// While no byte arrives after the port was opened, the port sends wake-up sentences: at each speed of the search, or at
/// the given speed after some seconds. Some receivers sleep until they receive a command.
///
/// An open port is locked, with raw bytes, 8 data bits, no parity, 1 stop bit and no flow control.
package final class UARTPort: CommandPort {
  package let path: String
  package var isLive: Bool { true }

  private struct State {
    var speed: Int
    var isSpeedKnown: Bool
    var device: SerialDevice?
    var output: OutgoingBytes?
    var hasReceived = false
    var wakeUps = 0
  }

  /// The time without a byte after which the port sends the wake-up sentences, and the time until it repeats them.
  private static let wakeUpTimes: (first: TimeAmount, next: TimeAmount) = (.seconds(3), .seconds(10))

  private let searchesSpeed: Bool
  private let requiresChecksum: Bool
  private let state: Mutex<State>
  private let wakeUp: [UInt8]
  private let group: any EventLoopGroup

  /// Creates a port. Without a given speed, the port searches for the speed. If `requiresChecksum` is true, this search
  /// ignores sentences without a checksum.
  /// - Parameter wakeUp: The wake-up sentences. If they are empty, the port sends none.
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

  /// The current speed in bits per second.
  package var speed: Int { state.withLock { $0.speed } }

  /// Sets the speed, also for later uses of the port, and discards unread input. If the port does not support the
  /// speed, the function throws `HardwareError`, and the old speed remains.
  package func setSpeed(_ speed: Int) async throws {
    guard SerialSpeed.all.contains(speed) else { throw UARTPort.refusal(of: "\(speed)", path: path) }
    let (device, output) = state.withLock { ($0.device, $0.output) }
    if let device, let output {
      // The change runs on the event loop. If another thread discarded the input between the loop's poll and its read,
      // the read would report an end of file.
      try await output.onLoop {
        try device.configure(speed: speed)
        device.flushInput()
      }
    }
    state.withLock { $0.speed = speed }
  }

  package var wakeUps: Int { state.withLock { $0.hasReceived ? 0 : $0.wakeUps } }

  private var hasReceived: Bool { state.withLock { $0.hasReceived } }

  private func noteBytes() { state.withLock { $0.hasReceived = true } }

  /// Sends the wake-up sentences unless a byte has arrived.
  private func wake() {
    state.withLock { state in
      guard !wakeUp.isEmpty, !state.hasReceived, let output = state.output, output.send(wakeUp) else { return }
      state.wakeUps += 1
    }
  }

  package var isSpeedKnown: Bool { state.withLock { $0.isSpeedKnown } }

  /// The line capacity in bytes per second. Each byte takes ten bits.
  package var lineCapacity: Int? {
    guard !isUSB else { return nil }
    return state.withLock { $0.isSpeedKnown ? $0.speed / 10 : nil }
  }

  /// Whether the receiver itself is a USB device, whose speed has no meaning. Linux gives such a receiver the name
  /// ttyACM. A USB adapter for a UART has the name ttyUSB.
  package var isUSB: Bool {
    DeviceNode(path).map { UARTPort.isUSB(device: $0.device) } ?? false
  }

  static func isUSB(device: String) -> Bool { device.hasPrefix("/dev/ttyACM") }

  package func send(_ bytes: [UInt8]) async throws {
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
    // `onLoop` fails only if the event loop has shut down. Then there is no reader to check.
    try? await output.onLoop {}
  }

  package func run(
    opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws {
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
      state.device = device
      state.isSpeedKnown = !searchesSpeed
      (state.hasReceived, state.wakeUps) = (false, 0)
      return device
    }
    defer {
      device.release()
      state.withLock { state in
        state.device = nil
        state.output = nil
      }
    }
    let channel = try await device.channel(on: group) { channel in
      try channel.pipeline.syncOperations.addHandler(ArrivalTimeHandler())
      return try NIOAsyncChannel<ReceivedChunk, ByteBuffer>(wrappingChannelSynchronously: channel)
    }
    state.withLock { $0.output = OutgoingBytes(channel.channel) }
    await opened()
    try await read(channel, receive)
  }

  private func read(
    _ channel: NIOAsyncChannel<ReceivedChunk, ByteBuffer>,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws {
    var cause = "the other end hung up"
    do {
      try await channel.executeThenClose { inbound, _ in
        if searchesSpeed {
          try await readFindingSpeed(channel.channel, inbound, receive)
        } else {
          let timer = channel.channel.eventLoop.scheduleRepeatedTask(
            initialDelay: Self.wakeUpTimes.first, delay: Self.wakeUpTimes.next
          ) { [weak self] _ in self?.wake() }
          defer { timer.cancel() }
          for try await chunk in inbound {
            if !chunk.bytes.isEmpty, !hasReceived {
              noteBytes()
              timer.cancel()
            }
            await receive(chunk.bytes, chunk.arrived)
          }
        }
      }
    } catch let error as IOError where error.errnoCode != EIO {
      cause = systemErrorText(error.errnoCode)
    } catch {
      // A closed channel and the error `EIO` both mean that the input has ended.
    }
    if Task.isCancelled { return }
    throw HardwareError(.absent, "read", path, cause: cause, remedy: "is the receiver still connected?")
  }

  /// Searches for the receiver's speed, and delivers the bytes received at this speed.
  private func readFindingSpeed(
    _ channel: any Channel, _ inbound: NIOAsyncChannelInboundStream<ReceivedChunk>,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws {
    var search = BaudSearch(from: speed, requiresChecksum: requiresChecksum, at: SystemClock.monotonic)
    try await setSpeed(search.speed)
    /// The time of the last speed change. Earlier chunks were received at another speed.
    var since = SystemClock.monotonic
    /// The chunks since the last speed change, which wait until the speed is confirmed.
    var pending: [ReceivedChunk] = []
    var timer = UARTPort.timer(channel)
    defer { timer?.cancel() }
    for try await chunk in inbound where chunk.arrived >= since {
      if !chunk.bytes.isEmpty { noteBytes() }
      switch search.update(with: chunk.bytes, at: chunk.arrived) {
      case .wait:
        pending.append(chunk)
        if timer == nil { timer = UARTPort.timer(channel) }
      case .confirmed:
        timer?.cancel()
        timer = nil
        state.withLock { $0.isSpeedKnown = true }
        for chunk in pending + [chunk] where !chunk.bytes.isEmpty { await receive(chunk.bytes, chunk.arrived) }
        pending = []
      case .change(let speed):
        pending = []
        state.withLock { $0.isSpeedKnown = false }
        do {
          try await setSpeed(speed)
        } catch let error as HardwareError where error.kind == .unsuitable {
          // The UART does not support this speed. Many UARTs of type 16550 support at most 115,200 bit/s. The port
          // keeps its previous speed, and the search continues with the next one.
        }
        since = SystemClock.monotonic
        wake()
        if timer == nil { timer = UARTPort.timer(channel) }
      }
    }
  }

  /// Starts a timer whose empty chunks inform the search about the time while no bytes arrive.
  private static func timer(_ channel: any Channel) -> RepeatedTask? {
    let pause = TimeAmount.milliseconds(50)
    return channel.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
      channel.pipeline.fireChannelRead(ByteBuffer())
      // Without this call, the empty chunk would wait until bytes arrive.
      channel.pipeline.fireChannelReadComplete()
    }
  }

  private static func refusal(of speed: String, path: String) -> HardwareError {
    HardwareError(
      .unsuitable, "configure", path, cause: "\(speed) baud is not a supported speed",
      remedy: "use one of " + SerialSpeed.all.map(String.init).joined(separator: ", "))
  }
}
