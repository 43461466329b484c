@testable import Ports
import Glibc
import Hardware
import NIOCore
import NIOPosix
import PseudoTerminals
import Requirements
import Synchronization
import Testing

private typealias Chunks = NIOAsyncChannel<ByteBuffer, ByteBuffer>

private func channel(_ port: SerialLinePort) async throws -> Chunks {
  try await port.channel(on: .singletonMultiThreadedEventLoopGroup) {
    try NIOAsyncChannel(wrappingChannelSynchronously: $0)
  }
}

@Test(.patient)
func `one channel after another reads and writes the same open port`() async throws {
  let terminal = try PseudoTerminal()
  let port = try SerialLinePort(path: terminal.path, speed: 9600)
  #expect(terminal.isRaw(speed: 9600) && port.speed == 9600 && port.isOpen)
  for word in ["first", "second"] {
    let chunks = try await channel(port)
    try await chunks.executeThenClose { inbound, outbound in
      terminal.send(word)
      var received = ""
      for try await chunk in inbound {
        received += String(buffer: chunk)
        if received.utf8.count >= word.utf8.count { break }
      }
      #expect(received == word)
      try await outbound.write(ByteBuffer(string: word + "\n"))
    }
    #expect(String(decoding: terminal.receive(atLeast: word.utf8.count + 1), as: UTF8.self) == word + "\n")
    #expect(port.isOpen)
  }
}

@Test(arguments: [-1, 0, 12_345, Int(UInt32.max) + 9601])
func `a speed that no serial port has is refused`(speed: Int) throws {
  let terminal = try PseudoTerminal()
  let error = try #require(throws: HardwareError.self) { try SerialLinePort(path: terminal.path, speed: speed) }
  #expect(error.kind == .unsuitable && error.remedy == "try another speed, for example 9600")
  let receiver = try #require(throws: HardwareError.self) { try SerialDevice(path: terminal.path, speed: speed) }
  #expect(receiver.remedy == "try another speed, for example uart:\(terminal.path):9600")
}

@Test(
  arguments: [
    ("/nowhere/tty", .receiver, .absent, "is the receiver connected?"),
    ("/nowhere/tty", .lines(isModem: false), .absent, "is the port connected?"),
    ("/dev/null", .receiver, .unsuitable, "use replay:/dev/null"),
    ("/dev/null", .console(isModem: false), .unsuitable, "specify a tty, for example /dev/ttyS0"),
    ("/dev", .lines(isModem: false), .unsuitable, "specify a tty, for example /dev/ttyS0"),
  ] as [(String, SerialUse, HardwareError.Kind, String)])
func `a path that is not a serial port is refused with a remedy for the use of the port`(
  path: String, use: SerialUse, kind: HardwareError.Kind, remedy: String
) throws {
  let error = try #require(throws: HardwareError.self) { try SerialDevice(path: path, speed: 9600, use: use) }
  #expect(error.kind == kind && error.object == path && error.remedy?.contains(remedy) == true, "\(error)")
}

@Test(.patient)
func `sent bytes arrive, and a port that does not accept all bytes in time sends none later`() throws {
  let terminal = try PseudoTerminal()
  let port = try SerialLinePort(path: terminal.path, speed: 9600)
  try port.send(Array("a fix\r\n".utf8), within: .seconds(60))
  #expect(String(decoding: terminal.receive(atLeast: 7), as: UTF8.self) == "a fix\r\n")
  let error = try #require(throws: HardwareError.self) {
    try port.send([UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000), within: .milliseconds(100))
  }
  #expect(error.kind == .failed && error.cause == "the port does not accept the bytes")
  var left = 0
  while case let count = terminal.receive().count, count > 0 { left += count }
  // The other end of a pseudo-terminal keeps up to 4095 bytes, which have left the port. The port itself keeps more.
  #expect(left <= 4095)
}

@Test(.patient)
func `the other end still reads what was sent before the port closed`() throws {
  let terminal = try PseudoTerminal()
  do {
    let port = try SerialLinePort(path: terminal.path, speed: 9600)
    // The other end keeps up to 4095 bytes. The kernel keeps the rest between the ends.
    try port.send([UInt8](repeating: UInt8(ascii: "x"), count: 6000), within: .seconds(60))
  }
  #expect(terminal.receive(atLeast: 6000).count == 6000)
}

@Test func `a released port is free for other programs, although a copy of its descriptor is open`() throws {
  let terminal = try PseudoTerminal()
  let device = try SerialDevice(path: terminal.path, speed: 9600, use: .lines(isModem: false))
  #expect(device.isConnected && device.isOwnPseudoTerminal && device.unsent == 0)
  let copy = try device.duplicate()
  defer { close(copy) }
  let error = try #require(throws: HardwareError.self) { try SerialLinePort(path: terminal.path, speed: 9600) }
  #expect(error.kind == .busy && error.remedy?.contains("fuser \(terminal.path)") == true)
  device.release()
  #expect(try SerialLinePort(path: terminal.path, speed: 9600).isOpen)
}

@Test(.patient)
func `if no channel can be created, no other file is closed`() async throws {
  let terminal = try PseudoTerminal()
  let port = try SerialLinePort(path: terminal.path, speed: 9600)
  let others = Mutex<[Int32]>([])
  await #expect(throws: HardwareError.self) {
    _ = try await port.channel(on: .singletonMultiThreadedEventLoopGroup) { channel -> Chunks in
      // The next open file gets the number of a closed descriptor.
      channel.close(promise: nil)
      others.withLock { $0 = (0..<8).map { _ in dup(STDERR_FILENO) } }
      throw ChannelError.eof
    }
  }
  for descriptor in others.withLock({ $0 }) { #expect(close(descriptor) == 0) }
  #expect(port.isOpen)
}

@Test(.patient)
func `a port is locked, is free after its release, and is absent after the other end hangs up`() async throws {
  let terminal = try PseudoTerminal()
  do {
    let port = try SerialLinePort(path: terminal.path, speed: 115_200)
    #expect { try SerialLinePort(path: terminal.path, speed: 115_200) } throws: {
      ($0 as? HardwareError)?.kind == .busy
    }
    #expect(port.isOpen)
  }
  let port = try SerialLinePort(path: terminal.path, speed: 115_200)
  let chunks = try await channel(port)
  terminal.hangUp()
  try? await chunks.executeThenClose { inbound, _ in
    for try await _ in inbound {}
  }
  #expect(!port.isOpen)
}
