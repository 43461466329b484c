import Base
import Decoding
import GNSS
import Glibc
import Hardware
import Requirements
import SimulatedUBlox
import Synchronization
import Testing

@testable import LinuxHardware

@Test(.patient)
func `a port delivers the stream with its read times, and sends`() async throws {
  let line = Array("$GNGLL,,,,,,V,N*7A\r\n".utf8)
  let bus = SimulatedI2CBus(.ddc, (0..<50).map { (100 + $0 * 100, line) })
  let port = I2CPort(path: "/dev/i2c-1", address: 0x42, timing: bus.timing) { bus }
  #expect(port.name == "i2c:/dev/i2c-1:0x42" && port.isLive)
  let received = Mutex<[UInt8]>([])
  let openings = Mutex(0)
  let task = Task {
    try await port.run(opened: { openings.withLock { $0 += 1 } }) { bytes, arrived in
      #expect(arrived <= bus.timing.now())
      let isFirst = received.withLock { all in
        defer { all += bytes }
        return all.isEmpty
      }
      if isFirst { try? port.send([0xB5, 0x62, 0x0A, 0x04]) }
    }
  }
  while received.withLock({ $0.count }) < 50 * line.count { await Task.yield() }
  task.cancel()
  try await task.value
  #expect(received.withLock { $0 } == (0..<50).flatMap { _ in line })
  #expect(openings.withLock { $0 } == 1)
  #expect(bus.state.withLock { $0.written.map(\.bytes) } == [[0xB5, 0x62, 0x0A, 0x04]])
  #expect(port.statistics.bytes > 0)
  #expect(throws: HardwareError.self) { try port.send([1, 2]) }
}

@Test(.patient, arguments: [8192, 32])
func `a u-blox receiver without keys is configured through the bus, also in pieces of 32 bytes`(
  capacity: Int
) async throws {
  let bus = SimulatedI2CBus(.ddc, capacity: capacity)
  bus.state.withLock { $0.answering = .m8 }
  let port = I2CPort(path: "/dev/i2c-1", address: 0x42, timing: bus.timing) { bus }
  let settings = ReceiverSettings(
    port: .i2c, period: 200, messages: [.rmc: 1, .gll: 0], constellations: [.gps, .galileo], dynamicModel: .sea)
  let setup = Mutex(ReceiverSetup(settings))
  let scanner = Mutex(FrameScanner())
  let task = Task {
    try await port.run(
      opened: { try? port.send(setup.withLock { $0.open(isSpeedKnown: true, at: bus.timing.now()) }) },
      { bytes, arrived in
        for (identifier, payload) in scanner.withLock({ $0.frames(in: bytes) }) {
          let commands = setup.withLock { $0.receive(.frame(identifier, payload), at: arrived) }
          if !commands.isEmpty { try? port.send(commands) }
        }
      })
  }
  while setup.withLock({ $0.report == nil }) { await Task.yield() }
  task.cancel()
  try await task.value
  #expect(setup.withLock { $0.fields } == ["model": "NEO-M8N-0", "settings": "applied"])
  let receiver = try #require(bus.state.withLock { $0.answering })
  #expect((receiver.period, receiver.dynamicModel, receiver.port[14]) == (200, 5, 0x03))
  #expect(receiver.rates == [UBXIdentifier(0xF0, 0x04): 1, UBXIdentifier(0xF0, 0x01): 0])
}

@Test(.patient, arguments: [(90.0, 11_000...11_111), (22.5, 40_000...44_444)])
func `the capacity of a bus is that of 100 kHz, or the fastest measured rate`(
  microseconds: Double, range: ClosedRange<Int>
) async throws {
  let bus = SimulatedI2CBus(.ddc, (0..<20).map { (100 + $0 * 100, [UInt8](repeating: 0x24, count: 900)) })
  bus.state.withLock { $0.microsecondsPerByte = microseconds }
  let port = I2CPort(path: "/dev/i2c-1", address: 0x42, timing: bus.timing) { bus }
  #expect(port.lineCapacity == 11_000)
  let received = Mutex(0)
  let task = Task { try await port.run(opened: {}) { bytes, _ in received.withLock { $0 += bytes.count } } }
  while received.withLock({ $0 }) < 20 * 900 { await Task.yield() }
  task.cancel()
  try await task.value
  #expect(range.contains(try #require(port.lineCapacity)))
}

@Test(
  .patient,
  arguments: [
    (I2CFault.notAcknowledged, HardwareError.Kind.absent), (.timedOut, .absent), (.busGone, .absent),
    (.arbitrationLost, .busy), (.unsupported, .unsuitable), (.other, .failed),
  ])
func `a port whose receiver does not answer fails and never opens`(
  fault: I2CFault, kind: HardwareError.Kind
) async throws {
  let bus = SimulatedI2CBus(.ddc)
  bus.state.withLock { $0.fault = fault }
  let port = I2CPort(path: "/dev/i2c-1", address: 0x42, timing: bus.timing) { bus }
  var failures = 0
  for _ in 0..<2 {
    let error = await #expect(throws: HardwareError.self) {
      try await port.run(opened: { Issue.record("it was opened") }) { _, _ in }
    }
    // The counts continue. A missing answer of a receiver that never answered is not a fault of the bus.
    let counted = port.allFaults.values.reduce(0, +)
    if fault == .notAcknowledged {
      #expect(port.allFaults.isEmpty)
    } else {
      #expect(counted > failures && port.allFaults.count == 1)
    }
    #expect(port.faults.values.reduce(0, +) == counted - failures, "what this time failed is told apart")
    failures = counted
    #expect(error?.kind == kind)
    #expect(error?.operation == "open" && error?.object == "i2c:/dev/i2c-1:0x42")
  }
}

@Test(.patient)
func `a write of one byte is refused, because it would select a register`() async throws {
  let bus = SimulatedI2CBus(.ddc)
  let port = I2CPort(path: "/dev/i2c-1", address: 0x42, timing: bus.timing) { bus }
  for bytes: [UInt8] in [[], [0xB5]] {
    let error = #expect(throws: HardwareError.self) { try port.send(bytes) }
    #expect(error?.kind == .unsuitable)
  }
}

@Test(arguments: [(0x42, "0x42", I2CDialect.ddc), (0x10, "0x10", .paddedBuffer), (0x08, "0x08", .ddc)])
func `the address determines the protocol`(address: UInt16, text: String, dialect: I2CDialect) {
  let port = I2CPort(path: "/dev/i2c-1", address: address)
  #expect(port.name == "i2c:/dev/i2c-1:\(text)")
  #expect(port.dialect == dialect)
}

@Test(arguments: [
  ("/nowhere/i2c-1", HardwareError.Kind.absent), ("/dev/null", .unsuitable), ("/dev", .unsuitable),
  ("/dev/i2c-250", .absent),
])
func `a path that is not a bus is refused with a remedy`(path: String, kind: HardwareError.Kind) async throws {
  let error = await #expect(throws: HardwareError.self) {
    try await I2CPort(path: path).run(opened: { Issue.record("it was opened") }) { _, _ in }
  }
  #expect((error?.kind, error?.object) == (kind, path))
  #expect(error?.remedy?.isEmpty == false)
}

@Test(arguments: [
  (ENXIO, I2CFault.notAcknowledged), (EREMOTEIO, .notAcknowledged), (ETIMEDOUT, .timedOut), (EAGAIN, .arbitrationLost),
  (ENODEV, .busGone), (EOPNOTSUPP, .unsupported), (EIO, .other),
])
func `the kernel's error numbers are converted to faults`(number: Int32, fault: I2CFault) {
  #expect(LinuxI2CBus.fault(number) == fault)
}

@Test(
  arguments: [
    (ENOENT, .absent, "i2cdetect -l"), (ENOTDIR, .absent, "i2cdetect -l"), (ENXIO, .absent, "i2cdetect -l"),
    (ENODEV, .absent, "i2cdetect -l"), (EPERM, .notPermitted, "onefixd check"), (EACCES, .notPermitted, "group i2c"),
    (EBUSY, .busy, "remove the driver's overlay"), (ENOTTY, .unsuitable, "a bus, for example /dev/i2c-1"),
    (EISDIR, .unsuitable, "a bus, for example /dev/i2c-1"), (EOPNOTSUPP, .unsuitable, nil), (EIO, .failed, nil),
  ] as [(Int32, HardwareError.Kind, String?)])
func `a bus that cannot be opened is an error with the remedy for its cause`(
  number: Int32, kind: HardwareError.Kind, remedy: String?
) {
  let error = LinuxI2CBus.refusal("open", "/dev/i2c-1", number)
  #expect((error.kind, error.operation, error.object) == (kind, "open", "/dev/i2c-1"))
  // The same messages are for the receiver and for the display.
  #expect(!"\(error)".contains("receiver"))
  if let remedy { #expect(error.remedy?.contains(remedy) == true) } else { #expect(error.remedy == nil) }
}
