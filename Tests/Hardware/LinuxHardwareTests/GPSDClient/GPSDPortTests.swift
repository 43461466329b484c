import Base
import GNSS
import Glibc
import Hardware
import NIOCore
import NIOPosix
import Requirements
import Synchronization
import Testing

@testable import LinuxHardware

private final class Greeting: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let text: String
  let thenCloses: Bool

  init(text: String, thenCloses: Bool) {
    self.text = text
    self.thenCloses = thenCloses
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    if thenCloses { context.close(promise: nil) }
  }
}

/// Creates a listener that sends a greeting to each client.
private func listener(
  host: String, port: Int = 0, saying text: String, thenCloses: Bool = false
) async throws -> any Channel {
  try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .childChannelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(Greeting(text: text, thenCloses: thenCloses))
      }
    }
    .bind(host: host, port: port).get()
}

/// The last epoch ends after a pause, because no report follows.
private let greeting = [version, tpv(1), sky, tpv(2), sky, tpv(3)].map { $0 + "\r\n" }.joined()

@Test(arguments: [
  ("::1", EADDRNOTAVAIL, "IPv6"), ("::1", EAFNOSUPPORT, "IPv6"), ("2001:db8::1", ENETUNREACH, "network"),
  ("::1", ECONNREFUSED, "does gpsd run"), ("127.0.0.1", EADDRNOTAVAIL, "does gpsd run"),
])
func `the remedy for a failed connection fits its cause`(host: String, number: Int32, remedy: String) {
  let error = GPSDPort.failure(to: "gpsd:x", host, IOError(errnoCode: number, reason: "connect"))
  #expect(error.kind == .absent && error.description.contains(remedy))
  #expect(error.description.contains("does gpsd run") == (remedy == "does gpsd run"))
}

@Test(.patient, arguments: [("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "localhost"), ("::1", "::1")])
func `epochs arrive from every address on which gpsd listens`(listening: String, host: String) async throws {
  let server: any Channel
  do {
    server = try await listener(host: listening, saying: greeting)
  } catch {
    // This machine has no IPv6.
    try #require(listening == "::1")
    return
  }
  let port = GPSDPort(host: host, port: try #require(server.localAddress?.port))
  let seconds = Mutex<[Int?]>([])
  let openings = Mutex(0)
  let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
  let task = Task {
    try await port.run(opened: { openings.withLock { $0 += 1 } }) { epoch in
      #expect(openings.withLock { $0 } == 1, "it is open before it gives anything")
      seconds.withLock { $0.append(epoch.timeOfDay?.second) }
      continuation.yield()
    }
  }
  for await _ in stream where seconds.withLock({ $0.count }) == 3 { break }
  task.cancel()
  try await task.value
  #expect(seconds.withLock { $0 } == [1, 2, 3])
  #expect(openings.withLock { $0 } == 1)
  try await server.close()
}

@Test(.patient)
func `a gpsd that stops is absent, and the port may be run again`() async throws {
  let server = try await listener(host: "127.0.0.1", saying: greeting, thenCloses: true)
  let port = GPSDPort(port: try #require(server.localAddress?.port))
  let count = Mutex(0)
  for round in 1...2 {
    let error = await #expect(throws: HardwareError.self) {
      try await port.run(opened: {}) { _ in count.withLock { $0 += 1 } }
    }
    #expect(error?.kind == .absent)
    #expect(count.withLock { $0 } >= round)
  }
  try await server.close()
}

@Test(.patient)
func `a gpsd that does not run is absent`() async throws {
  // No program listens on this port.
  let port = GPSDPort(port: 1)
  let error = await #expect(throws: HardwareError.self) {
    try await port.run(opened: { Issue.record("it was opened") }) { _ in }
  }
  #expect(error?.kind == .absent && error?.remedy?.isEmpty == false)
  #expect(error?.cause == "connection refused")
}

@Test(.patient)
func `a service that is not gpsd is refused`() async throws {
  let server = try await listener(host: "127.0.0.1", saying: "SSH-2.0-OpenSSH_9.2\r\n")
  let port = GPSDPort(port: try #require(server.localAddress?.port))
  let error = await #expect(throws: HardwareError.self) {
    try await port.run(opened: { Issue.record("it was opened") }) { _ in }
  }
  #expect(error?.kind == .unsuitable)
  try await server.close()
}

@Test func `the name of a port is its specification`() {
  #expect(GPSDPort().name == "gpsd:127.0.0.1:2947")
  #expect(GPSDPort(host: "::1", port: 3000).name == "gpsd:[::1]:3000")
}

/// Runs a port until it has delivered the wanted number of fixes, while gpsd receives sentences.
private func fixes(_ wanted: Int, of port: GPSDPort, from gpsd: FedGPSD) async -> [Epoch] {
  let (epochs, arrived) = AsyncStream.makeStream(of: Epoch.self)
  let task = Task {
    while !Task.isCancelled {
      // gpsd needs some time until it listens.
      do {
        try await port.run(opened: {}) { epoch in arrived.yield(epoch) }
      } catch {
        await Task.yield()
      }
    }
  }
  let feeding = MultiThreadedEventLoopGroup.singleton.any()
    .scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(20)) { _ in gpsd.feed() }
  var fixes: [Epoch] = []
  for await epoch in epochs where epoch.coordinate != nil {
    fixes.append(epoch)
    if fixes.count == wanted { break }
  }
  feeding.cancel()
  task.cancel()
  await task.value
  return fixes
}

@Test(.patient, .needs("apt-get install gpsd", FedGPSD.isThere))
func `the port reads Debian's gpsd, before and after a restart`() async throws {
  let number = 20_000 + Int(getpid()) % 10_000
  let port = GPSDPort(port: number)
  for _ in 0..<2 {
    let gpsd = try FedGPSD(port: number)
    let fixes = await fixes(20, of: port, from: gpsd)
    gpsd.stop()
    for epoch in fixes {
      #expect(abs((epoch.coordinate?.latitude ?? 0) - 47.285232) < 1e-5)
      #expect(epoch.date != nil && epoch.timeOfDay?.hour == 12)
    }
    let times = fixes.compactMap(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    let last = try #require(fixes.last)
    #expect(last.altitude.map { abs($0 - 409.1) < 0.01 } == true)
    #expect(last.satellites.map(\.number).sorted().prefix(2) == [1, 2])
    #expect(last.dilutionOfPrecision.horizontal != nil)
  }
}
