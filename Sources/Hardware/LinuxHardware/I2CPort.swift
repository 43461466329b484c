package import Clocks
import Hardware
import NIOPosix
import Synchronization
import OperatingSystem

/// A receiver on an I2C bus: `i2c:/dev/i2c-N[:ADDRESS]`.
///
/// The bus runs at what the board sets, which must be at most 400 kHz; these receivers hold the clock, and a Raspberry
/// Pi's own controllers then read wrong bits: 100 kHz, or the kernel's `i2c-gpio`, do not. Transactions are made on a
/// thread of their own, since they take as long as the bytes do.
package final class I2CPort: CommandPort {
  /// u-blox receivers' own.
  package static let defaultAddress: UInt16 = 0x42

  package let path: String
  /// 7 bits, 0x08...0x77.
  package let address: UInt16
  package let dialect: I2CDialect
  package var isLive: Bool { true }

  private struct State {
    var isOpen = false
    var outgoing: [UInt8] = []
    /// Since the port was opened.
    var statistics = I2CStatistics()
    /// What failed before that.
    var earlierFaults: [String: Int] = [:]
    /// Bytes per second of the fastest transaction so far.
    var fastest = 0

    var allFaults: [String: Int] { earlierFaults.merging(statistics.causes, uniquingKeysWith: +) }
  }

  private let state = Mutex(State())
  /// The thread that makes transactions. It stays when the port is closed: ending it takes Dispatch, whose own threads
  /// would be looked at each second from then on.
  private let threads = NIOThreadPool(numberOfThreads: 1)
  private let open: @Sendable () throws -> any I2CBus
  private let timing: Timing

  /// How the port keeps time: by the machine's clock, or, in tests, as the test says.
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

  private var addressText: String { "0x" + (address < 16 ? "0" : "") + String(address, radix: 16) }

  package var isSpeedKnown: Bool { true }

  /// Who reads a bus is not told how fast it is: the 100 kHz at which buses run unless a board sets more, nine clocks
  /// for each byte and what the count costs; more where a transaction was faster than that.
  package var lineCapacity: Int? { max(11_000, state.withLock { $0.fastest }) }

  package var faults: [String: Int] { statistics.causes }

  package var allFaults: [String: Int] { state.withLock { $0.allFaults } }

  var statistics: I2CStatistics { state.withLock { $0.statistics } }

  package func send(_ bytes: [UInt8]) async throws {
    guard bytes.count >= 2 else {
      // It would be taken for the address of a register.
      throw HardwareError(.unsuitable, "write", name, cause: "a write has at least 2 bytes")
    }
    try state.withLock { state in
      guard state.isOpen else { throw HardwareError(.failed, "write", name, cause: "the port is not open") }
      state.outgoing += bytes
    }
  }

  package func answer() async {
    guard state.withLock({ $0.isOpen }) else { return }
    try? await threads.runIfActive {}
  }

  package func run(
    opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws {
    try state.withLock { state in
      guard !state.isOpen else {
        throw HardwareError(.busy, "open", name, cause: "this program has it open already")
      }
      state = State(isOpen: true, earlierFaults: state.allFaults)
    }
    defer { state.withLock { $0.isOpen = false } }
    let bus = try open()
    threads.start()
    do {
      try await poll(bus, opened: opened, receive)
    } catch is CancellationError {
      // That is how it is asked to stop.
    }
  }

  private func poll(
    _ bus: any I2CBus, opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws {
    var polling = I2CPolling(dialect, capacity: bus.capacity, at: timing.now())
    var wasOpened = false
    while !Task.isCancelled {
      polling.send(takeOutgoing(polling.statistics))
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
          note(transaction.writeCount + bytes.count, took: now - began)
          if !wasOpened {
            wasOpened = true
            await opened()
          }
          let stream = polling.succeeded(bytes, at: now)
          if !stream.isEmpty { await receive(stream, now) }
        case .failure(let fault): polling.failed(fault, at: now)
        }
      }
    }
  }

  private func note(_ bytes: Int, took duration: Duration) {
    // A short one tells more of the system than of the bus.
    guard bytes >= 64, duration > .zero else { return }
    let rate = Int(Double(bytes) / (duration / .seconds(1)))
    state.withLock { $0.fastest = max($0.fastest, rate) }
  }

  private func takeOutgoing(_ statistics: I2CStatistics) -> [UInt8] {
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
        .absent, operation, name, cause: "nothing answers at \(addressText)",
        remedy: "is the receiver connected and powered? see i2cdetect -y \(bus)")
    case .timedOut:
      return HardwareError(
        .absent, operation, name, cause: "the bus is stuck",
        remedy: "are both lines pulled up? a receiver that was reset inside a transaction may hold them")
    case .busGone: return HardwareError(.absent, operation, name, cause: "the bus has gone")
    case .arbitrationLost: return HardwareError(.busy, operation, name, cause: "another controller holds the bus")
    case .unsupported: return HardwareError(.unsuitable, operation, name, cause: "its adapter cannot read as it must")
    case .other: return HardwareError(.failed, operation, name, cause: "transactions fail")
    }
  }
}
