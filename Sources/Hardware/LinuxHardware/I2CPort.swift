package import Base
import Hardware
import NIOPosix
import OperatingSystem
import Synchronization

/// A receiver on an I2C bus: `i2c:/dev/i2c-N[:ADDRESS]` in the configuration. The port has its own thread, because
/// transactions block.
///
/// The board defines the speed of the bus, at most 400 kHz. On a Raspberry Pi, use 100 kHz or the kernel driver
/// `i2c-gpio`. At 400 kHz, the controllers of a Raspberry Pi read wrong bits while a receiver delays the clock signal.
package final class I2CPort: CommandPort {
  /// The default I2C address of u-blox receivers.
  package static let defaultAddress: UInt16 = 0x42

  package let path: String
  /// The I2C address of the receiver, 7 bits, 0x08...0x77.
  package let address: UInt16
  package let dialect: I2CDialect
  package var isLive: Bool { true }

  private struct State {
    var isOpen = false
    var outgoing: [UInt8] = []
    var statistics = I2CStatistics()
    /// The counts of faults before the port was opened most recently. The key is the name of the fault.
    var earlierFaults: [String: Int] = [:]
    /// The highest measured transaction rate in bytes per second.
    var fastest = 0

    var allFaults: [String: Int] { earlierFaults.merging(statistics.causes, uniquingKeysWith: +) }
  }

  private let state = Mutex(State())
  /// The pool with the only thread of the port. The thread keeps running while the port is closed. A shutdown of the
  /// thread would start the library Dispatch, whose threads wake up every second.
  private let threads = NIOThreadPool(numberOfThreads: 1)
  private let open: @Sendable () throws -> any I2CBus
  private let timing: Timing

  /// The functions with which the port reads the time and waits. A test can replace the functions.
  struct Timing: Sendable {
    var now: @Sendable () -> MonotonicInstant
    var sleep: @Sendable (_ until: MonotonicInstant) async throws -> Void

    static let real = Timing(now: { SystemClock.monotonic }, sleep: { try await SystemClock.sleep(until: $0) })
  }

  package convenience init(path: String, address: UInt16 = I2CPort.defaultAddress) {
    self.init(path: path, address: address, timing: .real) { try LinuxI2CBus(path: path, address: address) }
  }

  init(path: String, address: UInt16, timing: Timing, open: @escaping @Sendable () throws -> any I2CBus) {
    self.path = path
    self.address = address
    self.dialect = I2CDialect(address: address)
    self.timing = timing
    self.open = open
  }

  deinit { threads.shutdownGracefully { _ in } }

  package var name: String { "i2c:\(path):\(addressText)" }

  private var addressText: String { "0x\(address.digits(2, radix: 16))" }

  package var isSpeedKnown: Bool { true }

  /// The estimated capacity of the I2C bus in bytes per second; never nil. The kernel does not report the speed of the
  /// bus. The value is the capacity at 100 kHz, or the highest measured rate if this rate is higher.
  package var lineCapacity: Int? { max(11_000, state.withLock { $0.fastest }) }

  package var faults: [String: Int] { statistics.causes }

  package var allFaults: [String: Int] { state.withLock { $0.allFaults } }

  var statistics: I2CStatistics { state.withLock { $0.statistics } }

  package func send(_ bytes: [UInt8]) throws {
    guard bytes.count >= 2 else {
      // The receiver would treat a single byte as a register address.
      throw HardwareError(.unsuitable, "write", name, cause: "a write needs at least 2 bytes")
    }
    try state.withLock { state in
      guard state.isOpen else { throw HardwareError(.failed, "write", name, cause: "the port is not open") }
      state.outgoing += bytes
    }
  }

  package func respond() async {
    guard state.withLock({ $0.isOpen }) else { return }
    try? await threads.runIfActive {}
  }

  package func run(
    opened: @Sendable () async -> Void,
    _ receive: @escaping @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void
  ) async throws {
    try state.withLock { state in
      guard !state.isOpen else {
        throw HardwareError(.busy, "open", name, cause: "this program has already opened it")
      }
      state = State(isOpen: true, earlierFaults: state.allFaults)
    }
    defer { state.withLock { $0.isOpen = false } }
    let bus = try open()
    threads.start()
    do {
      try await poll(bus, opened: opened, receive)
    } catch is CancellationError {
      // The caller cancelled the task, which is not an error.
    }
  }

  private func poll(
    _ bus: any I2CBus, opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void
  ) async throws {
    var polling = I2CPolling(dialect, capacity: bus.capacity, at: timing.now())
    var wasOpened = false
    while !Task.isCancelled {
      polling.send(removeOutgoing(polling.statistics))
      switch polling.next(at: timing.now()) {
      case .wait(let instant): try await timing.sleep(instant)
      case .giveUp(let fault): throw refusal(fault, wasOpened: wasOpened)
      case .perform(let transaction):
        let began = timing.now()
        let result = try await threads.runIfActive {
          Result { () throws(I2CFault) in try bus.perform(transaction) }
        }
        let now = timing.now()
        switch result {
        case .success(let bytes):
          recordRate(transaction.writeCount + bytes.count, in: now - began)
          if !wasOpened {
            wasOpened = true
            await opened()
          }
          let stream = polling.succeeded(bytes, at: now)
          if !stream.isEmpty { receive(stream, now) }
        case .failure(let fault): polling.failed(fault, at: now)
        }
      }
    }
  }

  private func recordRate(_ bytes: Int, in duration: Duration) {
    // A short transaction does not show the rate of the bus, because the operating system takes most of the time.
    guard bytes >= 64, duration > .zero else { return }
    let seconds = duration / .seconds(1)
    let rate = Int(Double(bytes) / seconds)
    state.withLock { $0.fastest = max($0.fastest, rate) }
  }

  private func removeOutgoing(_ statistics: I2CStatistics) -> [UInt8] {
    state.withLock { state in
      state.statistics = statistics
      defer { state.outgoing = [] }
      return state.outgoing
    }
  }

  private func refusal(_ fault: I2CFault, wasOpened: Bool) -> HardwareError {
    let bus = path.split(separator: "-").last.map(String.init) ?? "N"
    let operation = wasOpened ? "read" : "open"
    switch fault {
    case .notAcknowledged:
      return HardwareError(
        .absent, operation, name, cause: "no device answers at \(addressText)",
        remedy: "is the receiver connected and powered? see i2cdetect -y \(bus)")
    case .timedOut:
      return HardwareError(
        .absent, operation, name, cause: "the bus is stuck",
        remedy: "check the pull-up resistors of both lines; switch the receiver off and on, "
          + "because a receiver that was reset in a transaction can hold a line low")
    case .busGone: return HardwareError(.absent, operation, name, cause: "the bus adapter was removed")
    case .arbitrationLost: return HardwareError(.busy, operation, name, cause: "another controller occupies the bus")
    case .unsupported:
      return HardwareError(
        .unsuitable, operation, name, cause: "the adapter does not support the required transactions")
    case .other: return HardwareError(.failed, operation, name, cause: "the transactions fail")
    }
  }
}
