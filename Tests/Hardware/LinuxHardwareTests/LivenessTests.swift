import Base
import Dispatch
import Hardware
import Logging
import NIOCore
import NIOPosix
import OperatingSystem
import Requirements
import Synchronization
import Testing

@testable import LinuxHardware
import PseudoTerminals

/// A liveness check in a task, with its result so far.
private final class LivenessCheck: Sendable {
  private let isAnswered = Mutex(false)
  private let task: Mutex<Task<Void, Never>?> = Mutex(nil)

  init(_ reader: any DeviceReader) {
    let check = Task { [self] in
      await reader.respond()
      isAnswered.withLock { $0 = true }
    }
    task.withLock { $0 = check }
  }

  var hasAnswer: Bool { isAnswered.withLock { $0 } }

  func answered() async { await task.withLock { $0 }?.value }
}

/// A gate that blocks threads until it is opened.
private final class Gate: Sendable {
  private let arrival = DispatchSemaphore(value: 0)
  private let opening = DispatchSemaphore(value: 0)

  /// Signals the arrival of the calling thread, and blocks it until the gate is opened.
  func pass() {
    arrival.signal()
    opening.wait()
    opening.signal()
  }

  /// Returns when a thread waits at the gate.
  func waitForArrival() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        self.arrival.wait()
        continuation.resume()
      }
    }
  }

  func open() { opening.signal() }
}

/// An edge source whose reads block while a gate is closed.
private final class StuckEdges: EdgeSource {
  let pipe = PipeEdges()
  let gate = Gate()
  var name: String { pipe.name }
  var descriptor: Int32 { pipe.descriptor }
  var device: String? { nil }

  func readEdges() throws(HardwareError) -> EdgeRecords {
    gate.pass()
    return try pipe.readEdges()
  }

  func activity() throws(HardwareError) -> LineActivity { try pipe.activity() }
}

/// A bus whose transactions block while a gate is closed.
private struct StuckBus: I2CBus {
  let bus: SimulatedI2CBus
  let gate: Gate
  var capacity: Int { bus.capacity }

  func perform(_ transaction: I2CTransaction) throws(I2CFault) -> [UInt8] {
    gate.pass()
    return try bus.perform(transaction)
  }
}

extension EdgeReader: DeviceReader {}

@Suite struct LivenessTests {
  @Test(.patient) func `the edge reader answers unless its thread is stuck`() async throws {
    let reader = try EdgeReader(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    await reader.respond()
    let source = StuckEdges()
    var events = reader.events(of: source).makeAsyncIterator()
    _ = try await events.next()
    for _ in 0..<100 { await reader.respond() }
    source.pipe.send([(.active, 1, 1)])
    await source.gate.waitForArrival()
    let checks = (0..<3).map { _ in LivenessCheck(reader) }
    #expect(checks.allSatisfy { !$0.hasAnswer })
    source.gate.open()
    for check in checks { await check.answered() }
    #expect(try await events.next() == .edge(Edge(.active, at: MonotonicInstant(nanoseconds: 1))))
  }

  @Test(.patient) func `a serial port answers unless its event loop is stuck`() async throws {
    let terminal = try PseudoTerminal()
    let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let port = try UARTPort(path: terminal.path, speed: 9600, group: loops)
    await port.respond()
    let running = try await OpenPort(port)
    await port.respond()
    let gate = Gate()
    loops.next().execute { gate.pass() }
    await gate.waitForArrival()
    let check = LivenessCheck(port)
    #expect(!check.hasAnswer)
    gate.open()
    await check.answered()
    try await running.stop()
    try await loops.shutdownGracefully()
  }

  @Test(.patient) func `a bus answers unless a transaction is stuck`() async throws {
    let bus = SimulatedI2CBus(.ddc, [(100, Array("$GNGLL,,,,,,V,N*7A\r\n".utf8))])
    let gate = Gate()
    let port = I2CPort(path: "/dev/i2c-1", address: 0x42, timing: bus.timing) { StuckBus(bus: bus, gate: gate) }
    await port.respond()
    let running = Task { try await port.run(opened: {}) { _, _ in } }
    await gate.waitForArrival()
    let check = LivenessCheck(port)
    #expect(!check.hasAnswer)
    gate.open()
    await check.answered()
    running.cancel()
    try await running.value
  }
}
