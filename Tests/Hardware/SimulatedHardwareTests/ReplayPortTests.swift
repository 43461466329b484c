import Base
import Glibc
import Hardware
import OperatingSystem
import Requirements
import Synchronization
import Testing

@testable import SimulatedHardware

/// Returns all chunks of a port until it ends.
private func chunks(of port: ReplayPort) async throws -> [[UInt8]] {
  let received = Mutex<[[UInt8]]>([])
  let opened = Mutex(0)
  try await port.run(opened: { opened.withLock { $0 += 1 } }) { bytes, _ in received.withLock { $0.append(bytes) } }
  #expect(opened.withLock { $0 } == 1)
  return received.withLock { $0 }
}

private let log = Array(
  "$GPTXT,hello\r\n$GPGGA,120000,\r\n$GPRMC,120000,A\r\n$GPGGA,120001.5,\r\n$GPGGA,120031.5,\r\n$GPGGA,12".utf8)

@Test func `a log is sent at its own speed or a multiple of it`() async throws {
  let file = try TemporaryFile(log)
  for (speed, waits) in [(1.0, [1500, 5000]), (10, [150, 500]), (0.5, [3000, 10_000])] {
    let manual = ManualClock()
    let sent = try await chunks(of: ReplayPort(path: file.path, speed: .factor(speed), clock: manual.clock))
    #expect(manual.waits == waits.map { .milliseconds($0) })
    #expect(sent.count == 4)
    #expect(sent.flatMap { $0 } == log)
  }
}

@Test func `without a speed limit the port does not wait and loses nothing, also if it is run again`() async throws {
  let long = [[UInt8]](repeating: log, count: 2000).flatMap { $0 }
  let file = try TemporaryFile(long)
  let manual = ManualClock()
  let port = ReplayPort(path: file.path, speed: .unlimited, clock: manual.clock)
  for _ in 0..<2 {
    let sent = try await chunks(of: port)
    #expect(manual.waits.isEmpty)
    #expect(sent.flatMap { $0 } == long)
    #expect(sent.allSatisfy { $0.count <= 16_384 })
  }
}

@Test(arguments: [(ReplayPort.Speed.unlimited, 16_384), (.factor(1), ReplaySchedule.groupCapacity)])
func `cancelling ends the reading of a log at the next chunk`(speed: ReplayPort.Speed, count: Int) async throws {
  let file = try TemporaryFile([UInt8](repeating: 10, count: 200_000))
  let port = ReplayPort(path: file.path, speed: speed)
  let taken = Mutex(0)
  try await port.run(opened: {}) { bytes, _ in
    taken.withLock { $0 += bytes.count }
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
  }
  #expect(taken.withLock { $0 } == count)
}

@Test(.patient)
func `cancelling ends a wait`() async throws {
  let file = try TemporaryFile(log)
  let port = ReplayPort(path: file.path, speed: .factor(1e-6))
  let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
  let task = Task { try await port.run(opened: {}) { _, _ in continuation.yield() } }
  for await _ in stream { break }
  task.cancel()
  try await task.value
}

@Test func `a file that cannot be replayed is refused with a remedy`() async throws {
  let empty = try TemporaryFile([])
  let file = "specify a file with a receiver's sentences"
  let cases: [(String, HardwareError.Kind, cause: String, remedy: String)] = [
    ("/nowhere/at.all", .absent, "no such file or directory", "is the name correct? see ls"),
    ("/tmp", .unsuitable, "it is a directory", file),
    ("/dev/null", .unsuitable, "it is not a regular file", "for a serial port, use uart:/dev/null"),
    (empty.path, .unsuitable, "it is empty", file),
    ("/proc/self/mem/x", .absent, "not a directory", "is the name correct? see ls"),
  ]
  for (path, kind, cause, remedy) in cases {
    let error = await #expect(throws: HardwareError.self) {
      try await ReplayPort(path: path).run(opened: { Issue.record("\(path) was opened") }) { _, _ in }
    }
    #expect((error?.kind, error?.object) == (kind, path))
    #expect((error?.cause, error?.remedy) == (cause, remedy))
  }
}

@Test(arguments: [
  (ReplayPort.Speed.factor(1), "replay:a.nmea"), (.factor(10), "replay:a.nmea@10"),
  (.factor(0.5), "replay:a.nmea@0.5"), (.factor(1e19), "replay:a.nmea@1e+19"), (.unlimited, "replay:a.nmea@max"),
])
func `the name of a replay contains its file and speed`(speed: ReplayPort.Speed, name: String) {
  let port = ReplayPort(path: "a.nmea", speed: speed)
  #expect(port.name == name)
  #expect(!port.isLive)
}
