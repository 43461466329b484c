import Base
import Hardware
@testable import LinuxHardware
import PseudoTerminals

/// A running port with its input.
struct OpenPort: Sendable {
  typealias Chunk = (bytes: [UInt8], arrived: MonotonicInstant)

  let port: UARTPort
  let stream: AsyncStream<Chunk>
  let task: Task<Void, any Error>

  /// Returns when the port is open. Throws the error if it fails.
  init(_ port: UARTPort) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Chunk.self)
    let (openings, opening) = AsyncStream.makeStream(of: Void.self)
    self.port = port
    self.stream = stream
    task = Task {
      defer {
        continuation.finish()
        opening.finish()
      }
      try await port.run(opened: { opening.yield() }) { bytes, arrived in continuation.yield((bytes, arrived)) }
    }
    for await _ in openings { return }
    try await task.value
  }

  func read(_ count: Int) async -> [UInt8] {
    var received: [UInt8] = []
    guard count > 0 else { return received }
    for await chunk in stream {
      received += chunk.bytes
      if received.count >= count { break }
    }
    return received
  }

  func stop() async throws {
    task.cancel()
    try await task.value
  }
}

extension PseudoTerminal {
  /// Returns the bytes that arrive at the terminal, as soon as there are at least `count`.
  func receive(_ count: Int) async -> [UInt8] {
    var received: [UInt8] = []
    while received.count < count {
      received += receive()
      await Task.yield()
    }
    return received
  }
}
