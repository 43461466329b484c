package import Clocks
import Glibc
package import Hardware
package import NIOCore
import NIOPosix
import SerialPorts
import OperatingSystem
import Synchronization

/// A receiver on a serial port, or on a pseudo-terminal that stands for one: `uart:PATH[:BAUD]`. Without a speed it
/// finds the receiver's.
///
/// The port is this program's alone while it is open: raw bytes, 8 data bits, no parity, 1 stop bit, no flow control.
/// It is read on an event loop, which takes the time of each chunk as it is read, and written there too: what the line
/// does not take yet waits, and nobody waits for it.
package final class UARTPort: CommandPort {
  package let path: String
  package var isLive: Bool { true }

  private struct State {
    var speed: Int
    var isSpeedKnown: Bool
    /// While the port is open.
    var device: SerialDevice?
    var output: OutgoingBytes?
  }

  private let findsSpeed: Bool
  private let requiresChecksum: Bool
  private let state: Mutex<State>
  private let group: any EventLoopGroup

  /// - Parameters:
  ///   - speed: bits per second; nil where it is to be found.
  ///   - requiresChecksum: false where a speed may be found by sentences without a checksum.
  ///   - group: whose event loop reads the port.
  /// - Throws: `HardwareError` where no port can have that speed.
  package init(
    path: String, speed: Int? = nil, requiresChecksum: Bool = true,
    group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup
  ) throws(HardwareError) {
    findsSpeed = speed == nil
    self.requiresChecksum = requiresChecksum
    let speed = speed ?? SerialSpeed.likeliestFirst[0]
    guard SerialSpeed.all.contains(speed) else { throw UARTPort.refusal(of: "\(speed)", path: path) }
    self.path = path
    self.state = Mutex(State(speed: speed, isSpeedKnown: !findsSpeed))
    self.group = group
  }

  package var name: String { findsSpeed ? "uart:\(path)" : "uart:\(path):\(speed)" }

  /// Bits per second.
  package var speed: Int { state.withLock { $0.speed } }

  /// Sets the speed, at once where the port is open, and for whenever it is opened.
  ///
  /// Input that was received at the old speed and not read yet is dropped.
  /// - Throws: `HardwareError` where the port cannot have that speed; it keeps the one it had.
  package func setSpeed(_ speed: Int) async throws {
    guard SerialSpeed.all.contains(speed) else { throw UARTPort.refusal(of: "\(speed)", path: path) }
    let (device, output) = state.withLock { ($0.device, $0.output) }
    if let device, let output {
      // On the event loop: bytes that vanish between its being told of them and its reading them would be its end.
      try await output.onLoop {
        try device.configure(speed: speed)
        device.flushInput()
      }
    }
    state.withLock { $0.speed = speed }
  }

  package var isSpeedKnown: Bool { state.withLock { $0.isSpeedKnown } }

  /// Eight bits of ten are a byte's.
  package var lineCapacity: Int? {
    guard !isUSB else { return nil }
    return state.withLock { $0.isSpeedKnown ? $0.speed / 10 : nil }
  }

  /// Whether the receiver itself is at the other end of a USB cable: then its speed is a number without a meaning.
  /// (Linux, cdc-acm; a USB adapter with a UART behind it is ttyUSB.)
  package var isUSB: Bool {
    let resolved = unsafe realpath(path, nil)
    defer { unsafe free(resolved) }
    guard let resolved = unsafe resolved else { return false }
    return unsafe UARTPort.isUSB(device: String(cString: resolved))
  }

  static func isUSB(device: String) -> Bool { device.hasPrefix("/dev/ttyACM") }

  package func send(_ bytes: [UInt8]) async throws {
    // Under the lock, so that two who send are sent in the order of their calls.
    try state.withLock { state in
      guard let output = state.output else {
        throw HardwareError(.failed, "write", path, cause: "the port is not open")
      }
      guard output.send(bytes) else {
        throw HardwareError(
          .failed, "write", path, cause: "the line takes nothing more", remedy: "is the receiver still connected?")
      }
    }
  }

  package func answer() async {
    guard let output = state.withLock({ $0.output }) else { return }
    // A loop that has ended reads nothing any more.
    try? await output.onLoop {}
  }

  package func run(
    opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws {
    let device = try state.withLock { state in
      guard state.device == nil else {
        throw HardwareError(.busy, "open", path, cause: "this program has it open already")
      }
      // A receiver that comes back most likely speaks as it did.
      if findsSpeed, !state.isSpeedKnown { state.speed = SerialSpeed.likeliestFirst[0] }
      let device: SerialDevice
      do throws(HardwareError) { device = try SerialDevice(path: path, speed: state.speed) } catch {
        // Another UART may be there by now, which does not do the speed that was found.
        if error.kind == .unsuitable { state.isSpeedKnown = !findsSpeed }
        throw error
      }
      state.device = device
      state.isSpeedKnown = !findsSpeed
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
      try channel.pipeline.syncOperations.addHandler(ArrivalStamp())
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
        if findsSpeed {
          try await readAtItsSpeed(channel.channel, inbound, receive)
        } else {
          for try await chunk in inbound { await receive(chunk.bytes, chunk.arrived) }
        }
      }
    } catch let error as IOError where error.errnoCode != EIO {
      cause = systemErrorText(error.errnoCode)
    } catch {
      // A closed channel or EIO: the same as an end.
    }
    if Task.isCancelled { return }
    throw HardwareError(.absent, "read", path, cause: cause, remedy: "is the receiver still connected?")
  }

  /// Looks for the receiver's speed, and hands over what was sent at it.
  private func readAtItsSpeed(
    _ channel: any Channel, _ inbound: NIOAsyncChannelInboundStream<ReceivedChunk>,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws {
    var search = BaudSearch(from: speed, requiresChecksum: requiresChecksum, at: SystemClock.monotonic)
    try await setSpeed(search.speed)
    /// When the speed was set: what was read before was heard at another.
    var since = SystemClock.monotonic
    /// What has come since the speed was set, until it is known to make sense.
    var held: [ReceivedChunk] = []
    var pulse = UARTPort.pulse(channel)
    defer { pulse?.cancel() }
    for try await chunk in inbound where chunk.arrived >= since {
      switch search.take(chunk.bytes, at: chunk.arrived) {
      case .wait:
        held.append(chunk)
        if pulse == nil { pulse = UARTPort.pulse(channel) }
      case .settled:
        pulse?.cancel()
        pulse = nil
        state.withLock { $0.isSpeedKnown = true }
        for chunk in held + [chunk] where !chunk.bytes.isEmpty { await receive(chunk.bytes, chunk.arrived) }
        held = []
      case .change(let speed):
        held = []
        state.withLock { $0.isSpeedKnown = false }
        do {
          try await setSpeed(speed)
        } catch let error as HardwareError where error.kind == .unsuitable {
          // Not every UART does every speed, as one of 16550s above 115,200. It keeps the one it had, at which nothing
          // made sense, and the next is tried.
        }
        since = SystemClock.monotonic
        if pulse == nil { pulse = UARTPort.pulse(channel) }
      }
    }
  }

  /// Lets time be seen to pass where no bytes come.
  private static func pulse(_ channel: any Channel) -> RepeatedTask? {
    let pause = TimeAmount.milliseconds(50)
    return channel.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
      channel.pipeline.fireChannelRead(ByteBuffer())
      // Until then it would wait for the next bytes.
      channel.pipeline.fireChannelReadComplete()
    }
  }

  private static func refusal(of speed: String, path: String) -> HardwareError {
    HardwareError(
      .unsuitable, "configure", path, cause: "no such speed: \(speed)",
      remedy: "one of " + SerialSpeed.all.map(String.init).joined(separator: ", "))
  }
}
